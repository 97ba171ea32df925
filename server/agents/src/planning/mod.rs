//! Planning: what a request asks for, and the calls that it takes. Nothing here makes a call.

mod entities;
mod intent;
mod look_up;
mod plan_intent;
mod plan_route;
mod route;
mod words;

pub(crate) use self::plan_intent::PlanIntent;
pub(crate) use self::plan_route::PlanRoute;
