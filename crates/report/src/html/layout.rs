//! Places the boxes of a graph in layers (Sugiyama et al. 1981): back edges aside, every edge leads down. Long edges pass through the layers between by points
//! of their own, so that they do not cross boxes.

use serde::Serialize;

/// A graph with the places of everything.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Drawing {
    pub title: String,
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<BoxView>,
    pub arrows: Vec<Arrow>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct BoxView {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub rows: Vec<RowView>,
    /// `entry`, `exit`, `head`, `error`, `sink` or nothing.
    pub mark: &'static str,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct RowView {
    pub text: String,
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// The line that the arrow is about, if it is about one.
    pub line: u32,
    pub points: Vec<(f64, f64)>,
}

impl Arrow {
    pub fn new(from: usize, to: usize, label: String, line: u32) -> Self {
        Arrow { from, to, label, line, points: Vec::new() }
    }
}

const ROW: f64 = 17.0;
const PADDING: f64 = 7.0;
const LETTER: f64 = 6.7;
const BETWEEN: f64 = 28.0;
const LAYER: f64 = 44.0;
const SWEEPS: usize = 8;

/// A vertex of the layered graph: a box, or a point where a long edge passes.
struct Vertex {
    layer: usize,
    x: f64,
    width: f64,
}

impl Drawing {
    /// Sizes and places everything.
    pub fn arrange(&mut self) {
        for one in &mut self.boxes {
            let longest = one.rows.iter().map(|row| row.text.chars().count() + digits(row.line)).max().unwrap_or(0);
            one.width = (longest as f64 * LETTER + 2.0 * PADDING).max(26.0);
            one.height = (one.rows.len() as f64 * ROW + 2.0 * PADDING).max(22.0);
        }
        let back = self.back_arrows();
        let layers = self.layers(&back);
        let mut vertices: Vec<Vertex> = self
            .boxes
            .iter()
            .zip(&layers)
            .map(|(one, layer)| Vertex { layer: *layer, x: 0.0, width: one.width })
            .collect();
        let count = layers.iter().max().map_or(0, |last| last + 1);
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, vertex) in vertices.iter().enumerate() {
            rows[vertex.layer].push(index);
        }
        // What each arrow passes, its ends included.
        let mut chains: Vec<Vec<usize>> = Vec::new();
        for (arrow, back) in self.arrows.iter().zip(&back) {
            let mut chain = vec![arrow.from];
            if !back {
                let between = layers[arrow.from] + 1..layers[arrow.to];
                for (layer, row) in rows.iter_mut().enumerate().filter(|(layer, _)| between.contains(layer)) {
                    row.push(vertices.len());
                    chain.push(vertices.len());
                    vertices.push(Vertex {
                        layer,
                        x: 0.0,
                        width: 12.0 + LETTER * arrow.label.chars().count().min(8) as f64,
                    });
                }
            }
            chain.push(arrow.to);
            chains.push(chain);
        }
        let mut near: Vec<(Vec<usize>, Vec<usize>)> = vec![Default::default(); vertices.len()];
        for (chain, _) in chains.iter().zip(&back).filter(|(_, back)| !**back) {
            for pair in chain.windows(2) {
                near[pair[0]].1.push(pair[1]);
                near[pair[1]].0.push(pair[0]);
            }
        }
        for row in &rows {
            pack(row, &mut vertices, |_, x| x);
        }
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            let order: Vec<usize> = if down { (0..count).collect() } else { (0..count).rev().collect() };
            for layer in order {
                let wish = |vertex: usize| {
                    let (above, below) = &near[vertex];
                    let others = if down { above } else { below };
                    let centre = |other: &usize| vertices[*other].x + vertices[*other].width / 2.0;
                    match others.is_empty() {
                        true => vertices[vertex].x + vertices[vertex].width / 2.0,
                        false => others.iter().map(centre).sum::<f64>() / others.len() as f64,
                    }
                };
                let mut wishes: Vec<(f64, usize)> = rows[layer].iter().map(|vertex| (wish(*vertex), *vertex)).collect();
                wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
                rows[layer] = wishes.iter().map(|(_, vertex)| *vertex).collect();
                let wished: Vec<f64> = wishes.iter().map(|(x, _)| *x).collect();
                pack(&rows[layer], &mut vertices, |position, _| wished[position]);
            }
        }
        self.settle(&rows, &vertices, &chains, &back);
    }

    /// Writes down places, from layers and the order in them.
    fn settle(&mut self, rows: &[Vec<usize>], vertices: &[Vertex], chains: &[Vec<usize>], back: &[bool]) {
        let left = vertices.iter().map(|vertex| vertex.x).fold(f64::MAX, f64::min).min(1e9);
        let boxes = self.boxes.len();
        let mut tops = Vec::new();
        let mut y = 12.0;
        for row in rows {
            let tallest = row
                .iter()
                .filter(|vertex| **vertex < boxes)
                .map(|vertex| self.boxes[*vertex].height)
                .fold(0.0, f64::max);
            tops.push((y, tallest));
            y += tallest + LAYER;
        }
        for (index, one) in self.boxes.iter_mut().enumerate() {
            one.x = round(vertices[index].x - left + 12.0);
            one.y = round(tops[vertices[index].layer].0);
        }
        let right = vertices.iter().map(|vertex| vertex.x + vertex.width).fold(0.0, f64::max) - left + 12.0;
        let mut lane = right + 14.0;
        for ((arrow, chain), back) in self.arrows.iter_mut().zip(chains).zip(back) {
            let (from, to) = (&self.boxes[arrow.from], &self.boxes[arrow.to]);
            if *back {
                let (start, end) = (from.y + from.height - 8.0, to.y + 8.0);
                arrow.points = vec![(from.x + from.width, start), (lane, start), (lane, end), (to.x + to.width, end)];
                lane += 9.0 + LETTER * arrow.label.chars().count().min(10) as f64;
                continue;
            }
            arrow.points = vec![(from.x + from.width / 2.0, from.y + from.height)];
            for vertex in &chain[1..chain.len() - 1] {
                let Vertex { layer, x, width } = vertices[*vertex];
                let (top, height) = tops[layer];
                let x = x - left + 12.0 + width / 2.0;
                arrow.points.extend([(x, top), (x, top + height)]);
            }
            arrow.points.push((to.x + to.width / 2.0, to.y));
        }
        for arrow in &mut self.arrows {
            arrow.points.iter_mut().for_each(|(x, y)| (*x, *y) = (round(*x), round(*y)));
        }
        (self.width, self.height) = (round(lane + 10.0), round((y - LAYER + 14.0).max(20.0)));
    }

    /// Arrows that lead to where a depth-first search is.
    fn back_arrows(&self) -> Vec<bool> {
        let mut leaving = vec![Vec::new(); self.boxes.len()];
        for (index, arrow) in self.arrows.iter().enumerate() {
            leaving[arrow.from].push(index);
        }
        let mut back = vec![false; self.arrows.len()];
        // 0: not seen, 1: on the path, 2: done.
        let mut state = vec![0u8; self.boxes.len()];
        for root in 0..self.boxes.len() {
            if state[root] != 0 {
                continue;
            }
            let mut path = vec![(root, 0)];
            state[root] = 1;
            while let Some((node, next)) = path.last_mut() {
                let Some(arrow) = leaving[*node].get(*next).copied() else {
                    state[*node] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                let to = self.arrows[arrow].to;
                match state[to] {
                    0 => {
                        state[to] = 1;
                        path.push((to, 0));
                    }
                    1 => back[arrow] = true,
                    _ => {}
                }
            }
        }
        back
    }

    /// The length of the longest way to each box.
    fn layers(&self, back: &[bool]) -> Vec<usize> {
        let forward = || self.arrows.iter().zip(back).filter(|(_, back)| !**back).map(|(arrow, _)| arrow);
        let mut waiting = vec![0usize; self.boxes.len()];
        let mut leaving = vec![Vec::new(); self.boxes.len()];
        for arrow in forward() {
            waiting[arrow.to] += 1;
            leaving[arrow.from].push(arrow.to);
        }
        let mut layers = vec![0; self.boxes.len()];
        let mut ready: Vec<usize> = (0..self.boxes.len()).filter(|node| waiting[*node] == 0).collect();
        while let Some(node) = ready.pop() {
            for to in &leaving[node] {
                layers[*to] = layers[*to].max(layers[node] + 1);
                waiting[*to] -= 1;
                if waiting[*to] == 0 {
                    ready.push(*to);
                }
            }
        }
        layers
    }
}

/// Gives the vertices of one layer, in their order, places near where their centres want to be.
fn pack(row: &[usize], vertices: &mut [Vertex], wish: impl Fn(usize, f64) -> f64) {
    let wished: Vec<f64> = row
        .iter()
        .enumerate()
        .map(|(position, vertex)| {
            let Vertex { x, width, .. } = vertices[*vertex];
            wish(position, x + width / 2.0) - width / 2.0
        })
        .collect();
    // Pushed apart to the right, and to the left; between both is the fairest place, and keeps the distance.
    let mut from_left = Vec::new();
    let mut edge = f64::MIN;
    for (vertex, x) in row.iter().zip(&wished) {
        from_left.push(x.max(edge));
        edge = from_left.last().copied().unwrap_or(0.0) + vertices[*vertex].width + BETWEEN;
    }
    let mut from_right = wished.clone();
    let mut edge = f64::MAX;
    for (position, vertex) in row.iter().enumerate().rev() {
        from_right[position] = wished[position].min(edge - vertices[*vertex].width);
        edge = from_right[position] - BETWEEN;
    }
    for (position, vertex) in row.iter().enumerate() {
        vertices[*vertex].x = (from_left[position] + from_right[position]) / 2.0;
    }
}

fn digits(line: u32) -> usize {
    if line == 0 { 0 } else { line.to_string().len() + 1 }
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(boxes: usize, arrows: &[(usize, usize)]) -> Drawing {
        let row = |text: &str| RowView { text: text.into(), ..RowView::default() };
        let mut drawing = Drawing {
            boxes: (0..boxes)
                .map(|index| BoxView { rows: vec![row(&"x".repeat(index + 3))], ..BoxView::default() })
                .collect(),
            arrows: arrows.iter().map(|(from, to)| Arrow::new(*from, *to, String::new(), 0)).collect(),
            ..Drawing::default()
        };
        drawing.arrange();
        drawing
    }

    #[test]
    fn boxes_never_overlap_and_arrows_lead_down() {
        // A diamond in a loop, with an edge that skips layers.
        let drawing = arranged(6, &[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (0, 5), (4, 5)]);
        for (index, one) in drawing.boxes.iter().enumerate() {
            assert!(one.x >= 0.0 && one.x + one.width <= drawing.width && one.y + one.height <= drawing.height);
            for other in &drawing.boxes[index + 1..] {
                let apart = one.x + one.width <= other.x
                    || other.x + other.width <= one.x
                    || one.y + one.height <= other.y
                    || other.y + other.height <= one.y;
                assert!(apart, "{one:?} {other:?}");
            }
        }
        for arrow in &drawing.arrows {
            let is_back = (arrow.from, arrow.to) == (4, 1);
            assert_eq!(drawing.boxes[arrow.from].y < drawing.boxes[arrow.to].y, !is_back);
        }
    }

    #[test]
    fn odd_graphs_are_drawn_too() {
        assert_eq!(arranged(0, &[]).boxes.len(), 0);
        assert_eq!(arranged(1, &[(0, 0)]).arrows[0].points.len(), 4);
        arranged(3, &[(1, 2), (2, 1)]);
    }
}
