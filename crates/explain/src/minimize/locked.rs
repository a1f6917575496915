//! Values on a locked control flow: the trace formula of one run, with values as terms over its inputs. Much smaller than the unrolled program.

use super::weights::{self, Soft};
use crate::Failure;
use base::Budget;
use cfa::{Type, TypeId};
use encode::{Encoder, Follow, ModelInputs, Names, Origin, PathFormula};
use evidence::shown::{Gives, gives};
use logic::{Model, TermId};

/// Longer runs are not looked at value by value.
const MAX_STEPS: usize = 200_000;

pub struct Locked<'p> {
    pub encoder: Encoder<'p>,
    pub formula: PathFormula,
    /// The run takes the same path and fails in the same way.
    pub same: TermId,
    /// Integers that the run gives something, as shown: inputs and assigned values.
    pub values: Vec<(TypeId, TermId)>,
}

impl<'p> Locked<'p> {
    pub fn of(failure: &Failure<'p>, budget: &Budget) -> Option<Self> {
        let mut encoder = Encoder::new(failure.task);
        let follow = Follow {
            inputs: &mut failure.tape.play(),
            args: &failure.tape.args,
            names: Names::Inline,
            max_steps: MAX_STEPS,
        };
        let formula = encoder.follow(follow, budget).ok()?;
        let pool = &mut encoder.pool;
        let fails = pool.not(formula.assertion);
        let mut conds = vec![fails];
        for step in &formula.steps {
            conds.extend(step.guard);
            conds.extend(&step.checks);
        }
        let same = pool.and_all(&conds);
        let mut values: Vec<(TypeId, TermId)> = formula.inputs.iter().map(|input| (input.ty, input.term)).collect();
        for step in &formula.steps {
            let Origin::Edge(edge) = step.origin else { continue };
            if gives(failure.task.program, edge) == Some(Gives::Assignment) {
                values.extend(step.definitions.iter().filter_map(|one| Some((one.ty?, one.value))));
            }
        }
        values.retain(|(ty, _)| matches!(failure.task.program.types.get(*ty), Type::Int(_) | Type::Float(_)));
        Some(Locked { encoder, formula, same, values })
    }

    pub fn soft(&mut self) -> Vec<(TermId, u128)> {
        let mut soft = Soft::new();
        let always = self.encoder.pool.bool(true);
        let types = &self.encoder.task.program.types;
        for (ty, value) in &self.values {
            weights::absolute(&mut self.encoder.pool, types, always, *ty, *value, &mut soft);
        }
        weights::list(soft)
    }

    pub fn replay(&self, failure: &Failure<'p>, model: &Model) -> Option<Failure<'p>> {
        let mut inputs = ModelInputs::of_path(&self.encoder.pool, model, &self.formula);
        failure.with_inputs(failure.tape.args.clone(), &mut inputs)
    }
}
