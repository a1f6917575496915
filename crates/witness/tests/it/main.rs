//! Our own witnesses, as whole files. Those of other tools are in the target `data`.

mod conversion;
mod figures;
mod files;
mod mutation;
mod robustness;
mod round_trip;
mod rules_page;
