//! The fields of an object.

use std::rc::Rc;

use super::value::Value;

/// The fields of an object, in the order in which they were made. They are searched one by one: objects of
/// tools have few, and a list is built several times faster than a hash table.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<(Rc<String>, Value)>);

impl Fields {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| **own == name).map(|(_, value)| value)
    }

    pub(super) fn insert(&mut self, name: Rc<String>, value: Value) {
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| **own != name);
    }

    /// Keeps the fields whose value `is_kept`.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Value) -> bool) {
        self.0.retain(|(_, value)| is_kept(value));
    }

    pub(super) fn extend(&mut self, more: Self) {
        for (name, value) in more.0 {
            self.insert(name, value);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Rc<String>, Value)> {
        self.0.iter()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Fields whose names are known to differ.
    pub(super) fn from_distinct(fields: impl Iterator<Item = (Rc<String>, Value)>) -> Self {
        Self(fields.collect())
    }
}

impl IntoIterator for Fields {
    type Item = (Rc<String>, Value);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
