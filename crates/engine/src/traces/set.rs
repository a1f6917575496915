//! Sets of small numbers.

#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Set {
    /// The last word is not zero, so that equal sets are the same.
    words: Vec<u64>,
}

impl Set {
    pub fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn is_subset(&self, other: &Set) -> bool {
        let inside = || self.words.iter().zip(&other.words).all(|(one, other)| one & !other == 0);
        self.words.len() <= other.words.len() && inside()
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|number| self.contains(*number))
    }
}

impl FromIterator<usize> for Set {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Set::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sets() {
        let (small, large) = (Set::from_iter([3, 64]), Set::from_iter([64, 3, 200]));
        assert!(small.is_subset(&large) && !large.is_subset(&small) && Set::default().is_subset(&small));
        assert!(!Set::from_iter([4]).is_subset(&large));
        assert_eq!(large.iter().collect::<Vec<usize>>(), [3, 64, 200]);
        assert!(large.contains(200) && !small.contains(200));
    }
}
