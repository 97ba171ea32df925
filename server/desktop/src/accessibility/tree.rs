//! Reads a tree of elements, within limits.

use std::collections::{HashMap, HashSet, VecDeque};

use dbus::{MethodCall, Value};

use crate::accessibility::bus::{
    ACCESSIBLE, AccessibilityBus, COMPONENT, Silence, method, property,
};
use crate::accessibility::element::{Element, Reference, State, States, plain_role};
use crate::accessibility::programs::{Coordinates, WindowTree};
use crate::limits::{
    ELEMENT_BATCH, MAX_ACTIONS, MAX_CHILDREN, MAX_DEPTH, MAX_ELEMENTS, MAX_NAME_CHARACTERS,
};
use crate::text_block::BoundingBox;
use crate::windows::plain_name;

const ACTION: &str = "org.a11y.atspi.Action";
const TEXT: &str = "org.a11y.atspi.Text";
pub(crate) const VALUE: &str = "org.a11y.atspi.Value";

/// The visible elements of a window's trees, in their order, each before what it holds.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) elements: Vec<Element>,
    /// Why there may be more.
    pub(crate) cut: Vec<String>,
}

impl Tree {
    fn cut(&mut self, why: impl Into<String>) {
        let why = why.into();
        if !self.cut.contains(&why) {
            self.cut.push(why);
        }
    }
}

/// An element that is known, with its place in the tree.
struct Node {
    element: Element,
    children: Vec<usize>,
    /// The element that names it.
    label: Option<Reference>,
}

/// An element that is still to be read.
struct Pending {
    reference: Reference,
    tree: usize,
    depth: usize,
    /// The node that it is a child of.
    parent: Option<usize>,
}

impl AccessibilityBus<'_> {
    /// The visible elements of trees of one program.
    ///
    /// # Errors
    /// The bus was lost or the call cancelled. A program that stops answering cuts the tree.
    pub(crate) fn elements(&mut self, trees: &[WindowTree]) -> Result<Tree, Silence> {
        let mut result = Tree::default();
        let mut nodes: Vec<Node> = Vec::new();
        let mut roots = Vec::new();
        let mut seen: HashSet<Reference> = HashSet::new();
        let mut pending = VecDeque::new();
        for (index, tree) in trees.iter().enumerate() {
            seen.insert(tree.root.clone());
            pending.push_back(Pending {
                reference: tree.root.clone(),
                tree: index,
                depth: 0,
                parent: None,
            });
        }
        let mut read = 0;
        while !pending.is_empty() {
            if self.is_late() {
                result.cut("the time is over");
                break;
            }
            let batch: Vec<Pending> = pending.drain(..pending.len().min(ELEMENT_BATCH)).collect();
            read += batch.len();
            let found = match self.batch(&batch, trees) {
                Ok(found) => found,
                Err(Silence::NoAnswer) => {
                    result.cut("the program does not answer");
                    break;
                }
                Err(other) => return Err(other),
            };
            for (
                Pending { tree, depth, parent, .. },
                Found { element, children, is_sampled, label },
            ) in
                batch.into_iter().zip(found).filter_map(|(pending, found)| Some((pending, found?)))
            {
                let index = nodes.len();
                let own_name = element.reference.name.clone();
                nodes.push(Node { element, children: Vec::new(), label });
                match parent {
                    Some(parent) => nodes[parent].children.push(index),
                    None => roots.push(index),
                }
                if is_sampled {
                    result.cut(format!(
                        "lists with more than {MAX_CHILDREN} entries are not read whole"
                    ));
                }
                if !children.is_empty() && depth + 1 > MAX_DEPTH {
                    result.cut(format!("deeper than {MAX_DEPTH} levels"));
                    continue;
                }
                for child in children {
                    // Another program's elements have not been approved. A second time leads in a circle.
                    if child.name != own_name || !seen.insert(child.clone()) {
                        continue;
                    }
                    if read + pending.len() >= MAX_ELEMENTS {
                        result.cut(format!("more than {MAX_ELEMENTS} elements"));
                        break;
                    }
                    pending.push_back(Pending {
                        reference: child,
                        tree,
                        depth: depth + 1,
                        parent: Some(index),
                    });
                }
            }
        }
        name_by_labels(&mut nodes);
        sort_children(&mut nodes);
        let mut open: Vec<usize> = roots.into_iter().rev().collect();
        let mut order = Vec::with_capacity(nodes.len());
        while let Some(index) = open.pop() {
            order.push(index);
            open.extend(nodes[index].children.iter().rev());
        }
        let mut elements: Vec<Option<Element>> =
            nodes.into_iter().map(|node| Some(node.element)).collect();
        result.elements = order.into_iter().filter_map(|index| elements[index].take()).collect();
        Ok(result)
    }

    /// What the program says of some elements. Those that are not visible or have gone are `None`.
    fn batch(
        &mut self,
        batch: &[Pending],
        trees: &[WindowTree],
    ) -> Result<Vec<Option<Found>>, Silence> {
        let calls = batch.iter().flat_map(|pending| {
            let of = &pending.reference;
            let coordinates = trees[pending.tree].coordinates.number();
            [
                method(of, ACCESSIBLE, "GetRoleName", Vec::new()),
                property(of, ACCESSIBLE, "Name"),
                method(of, ACCESSIBLE, "GetState", Vec::new()),
                method(of, COMPONENT, "GetExtents", vec![coordinates.into()]),
                property(of, ACCESSIBLE, "ChildCount"),
                method(of, ACCESSIBLE, "GetInterfaces", Vec::new()),
            ]
        });
        let answers = self.query(calls.collect())?;
        let described: Vec<Option<Described>> = batch
            .iter()
            .zip(answers.chunks_exact(6))
            .map(|(pending, answers)| {
                let described =
                    Described::read(&pending.reference, answers, trees[pending.tree].coordinates)?;
                // A window that is on the screen may not say so.
                (pending.depth == 0 || described.element.states.is_visible()).then_some(described)
            })
            .collect();
        let mut calls = Vec::new();
        let mut ranges = Vec::new();
        for (pending, described) in batch.iter().zip(&described) {
            let start = calls.len();
            if let Some(described) = described {
                described.more(trees[pending.tree].coordinates, &mut calls);
            }
            ranges.push(start..calls.len());
        }
        let kinds: Vec<&'static str> = calls.iter().map(|(kind, _)| *kind).collect();
        let answers = self.query(calls.into_iter().map(|(_, call)| call).collect())?;
        let mut found = Vec::new();
        for (described, range) in described.into_iter().zip(ranges) {
            found.push(described.map(|described| {
                let answers = kinds[range.clone()].iter().zip(&answers[range]);
                described.complete(answers.map(|(kind, answer)| (*kind, answer)))
            }));
        }
        Ok(found)
    }

    /// What a program says of one element now; `None` if it has gone.
    pub(crate) fn element(&mut self, tree: &WindowTree) -> Result<Option<Element>, Silence> {
        let pending = Pending { reference: tree.root.clone(), tree: 0, depth: 0, parent: None };
        let found = self.batch(&[pending], std::slice::from_ref(tree))?.pop().flatten();
        let Some(Found { mut element, label, .. }) = found else { return Ok(None) };
        if let Some(label) = label {
            let name = self.one(property(&label, ACCESSIBLE, "Name"))?;
            let name = name.as_ref().and_then(|values| values.first()?.as_str());
            element.label = name.map(|name| plain_name(name.as_bytes()));
        }
        Ok(Some(element))
    }
}

/// Gives fields without a name that of the element that is their label.
fn name_by_labels(nodes: &mut [Node]) {
    let names: HashMap<Reference, String> = nodes
        .iter()
        .filter(|node| !node.element.name.is_empty())
        .map(|node| (node.element.reference.clone(), node.element.name.clone()))
        .collect();
    for node in nodes {
        node.element.label = node.label.as_ref().and_then(|label| names.get(label)).cloned();
    }
}

/// Sorts what an element holds as a person reads it, from the upper left to the lower right: some toolkits report
/// the newest first.
fn sort_children(nodes: &mut [Node]) {
    /// Middles that are less apart are in one row.
    const ROW: i32 = 6;
    for index in 0..nodes.len() {
        let mut children = std::mem::take(&mut nodes[index].children);
        children.sort_by_key(|child| {
            let place = nodes[*child].element.place;
            ((place.y + place.height as i32 / 2) / ROW, place.x)
        });
        nodes[index].children = children;
    }
}

/// An element, and what it holds.
struct Found {
    element: Element,
    children: Vec<Reference>,
    label: Option<Reference>,
    /// Whether the children are those that are at places of the screen, because there are many.
    is_sampled: bool,
}

/// What the first answers say of an element.
struct Described {
    element: Element,
    has_place: bool,
    children: usize,
    has_actions: bool,
    has_text: bool,
    has_value: bool,
}

// What the second calls of an element ask for.
const CHILDREN: &str = "children";
const CHILD: &str = "child";
const ACTIONS: &str = "actions";
const CONTENT: &str = "content";
const NUMBER: &str = "number";
const RELATIONS: &str = "relations";
/// The relation to an element's label.
const LABELLED_BY: i64 = 2;

impl Described {
    fn read(
        reference: &Reference,
        answers: &[Option<Vec<Value>>],
        coordinates: Coordinates,
    ) -> Option<Self> {
        let first = |index: usize| answers[index].as_ref()?.first();
        let role = plain_role(first(0)?.as_str()?);
        let name = plain_name(first(1).and_then(Value::as_str).unwrap_or_default().as_bytes());
        let states = first(2).and_then(States::parse)?;
        let place = coordinates.on_screen(answers[3].as_ref());
        let children =
            first(4).and_then(Value::as_i64).and_then(|count| usize::try_from(count).ok());
        let interfaces = first(5).map(Value::items).unwrap_or_default();
        let has = |name: &str| interfaces.iter().any(|interface| interface.as_str() == Some(name));
        Some(Self {
            has_place: place.is_some(),
            children: children.unwrap_or_default(),
            has_actions: has(ACTION),
            has_text: has(TEXT) && role != "password text",
            has_value: has(VALUE),
            element: Element {
                reference: reference.clone(),
                role,
                name,
                label: None,
                value: None,
                place: place.unwrap_or(BoundingBox { x: 0, y: 0, width: 0, height: 0 }),
                states,
                actions: Vec::new(),
            },
        })
    }

    /// What else is asked.
    fn more(&self, coordinates: Coordinates, calls: &mut Vec<(&'static str, MethodCall)>) {
        let of = &self.element.reference;
        if (1..=MAX_CHILDREN).contains(&self.children) {
            calls.push((CHILDREN, method(of, ACCESSIBLE, "GetChildren", Vec::new())));
        } else if self.children > MAX_CHILDREN && self.has_place {
            // A list of a hundred thousand entries has some dozens on the screen.
            let place = self.element.place;
            let (left, top) = coordinates.origin();
            for (x, y) in sample_places(place) {
                let point = vec![(x - left).into(), (y - top).into(), coordinates.number().into()];
                calls.push((CHILD, method(of, COMPONENT, "GetAccessibleAtPoint", point)));
            }
        }
        if self.has_actions {
            calls.push((ACTIONS, method(of, ACTION, "GetActions", Vec::new())));
        }
        if self.has_text
            && (self.element.states.has(State::Editable) || self.element.name.is_empty())
        {
            let range = vec![0.into(), (MAX_NAME_CHARACTERS as i32).into()];
            calls.push((CONTENT, method(of, TEXT, "GetText", range)));
        }
        let element_type = self.element.element_type();
        if self.element.name.is_empty()
            && matches!(element_type.as_str(), "input" | "select" | "slider")
        {
            calls.push((RELATIONS, method(of, ACCESSIBLE, "GetRelationSet", Vec::new())));
        }
        if self.has_value {
            calls.push((NUMBER, property(of, VALUE, "CurrentValue")));
        }
    }

    fn complete<'a>(
        self,
        answers: impl Iterator<Item = (&'static str, &'a Option<Vec<Value>>)>,
    ) -> Found {
        let Self { mut element, children: count, .. } = self;
        let mut children = Vec::new();
        let mut is_sampled = count > MAX_CHILDREN;
        let mut number = None;
        let mut label = None;
        for (kind, answer) in answers {
            let Some(value) = answer.as_ref().and_then(|values| values.first()) else { continue };
            match kind {
                CHILDREN => {
                    // It may report more than it counted.
                    is_sampled |= value.items().len() > MAX_CHILDREN;
                    children = value
                        .items()
                        .iter()
                        .filter_map(Reference::parse)
                        .take(MAX_CHILDREN)
                        .collect();
                }
                CHILD => children.extend(Reference::parse(value)),
                ACTIONS => {
                    let names = value.items().iter().take(MAX_ACTIONS);
                    let names = names.filter_map(|action| action.items().first()?.as_str());
                    element.actions = names.map(|name| plain_name(name.as_bytes())).collect();
                }
                CONTENT => {
                    let text = value.as_str().unwrap_or_default();
                    // A picture within a text.
                    let text = plain_text(&text.replace('\u{fffc}', ""));
                    element.value = Some(text).filter(|text| !text.is_empty());
                }
                RELATIONS => {
                    let is_label = |relation: &&Value| {
                        relation.items().first().and_then(Value::as_i64) == Some(LABELLED_BY)
                    };
                    let relation = value.items().iter().find(is_label);
                    let targets = relation.and_then(|relation| relation.items().get(1));
                    label = targets
                        .and_then(|targets| Reference::parse(targets.items().first()?))
                        .filter(|label| label.name == element.reference.name);
                }
                _ => number = value.as_f64().filter(|number| number.is_finite()),
            }
        }
        if element.value.is_none() {
            element.value =
                number.map(|number| format!("{}", (number * 1_000.0).round() / 1_000.0));
        }
        Found { element, children, label, is_sampled }
    }
}

/// A text as a value: its lines stay.
fn plain_text(text: &str) -> String {
    text.lines().map(|line| plain_name(line.as_bytes())).collect::<Vec<_>>().join("\n")
}

/// Places that are dense enough to meet each row and column of a list.
fn sample_places(place: BoundingBox) -> impl Iterator<Item = (i32, i32)> {
    /// Columns that are looked at.
    const COLUMNS: i32 = 8;
    /// Pixels between two rows that are looked at.
    const STEP: usize = 12;
    let (width, height) = (place.width.min(8_000) as i32, place.height.min(4_000) as i32);
    (place.y + 2..place.y + height).step_by(STEP).flat_map(move |y| {
        (0..COLUMNS).map(move |column| (place.x + width * (2 * column + 1) / (2 * COLUMNS), y))
    })
}
