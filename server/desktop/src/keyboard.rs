//! The keyboard: which key types what, and keys without a symbol that can type anything.
//!
//! A character that the layout lacks is put on a key without a symbol. Programs learn of that in order with the
//! keys, but look the symbol up when they come to the key: a key must not change before they have. When this
//! is dropped, whatever happened, no key is held, and the keys have no symbols again.

use std::cell::RefCell;

use tools::{Code, ToolError};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConnectionExt, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, KeyButMask, Keycode, Keysym,
};
use x11rb::protocol::xtest::ConnectionExt as _;

use crate::display::{Answer, Display};
use crate::keysyms::{NO_SYMBOL, SHIFT, is_letter};

/// The mask of the layout group in a key event's state.
const GROUP: u16 = 0x6000;

/// A key to press, with or without Shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stroke {
    pub(crate) keycode: Keycode,
    pub(crate) shift: bool,
}

/// A key without a symbol of its own.
#[derive(Debug, Clone, Copy)]
struct SpareKey {
    keycode: Keycode,
    symbol: Keysym,
}

/// The keyboard, for one call.
pub(crate) struct Keyboard<'d, 'c> {
    display: &'d Display<'c>,
    layout: Layout,
    spare: Vec<SpareKey>,
    held: RefCell<Vec<Keycode>>,
    /// Whether Caps Lock is on.
    caps_lock: bool,
    /// Whether another group of the layout is in use, such as a second language.
    other_group: bool,
}

/// The symbols of all keys.
struct Layout {
    first: Keycode,
    width: usize,
    symbols: Vec<Keysym>,
}

impl Layout {
    fn rows(&self) -> impl Iterator<Item = (Keycode, &[Keysym])> {
        let rows = self.symbols.chunks_exact(self.width.max(1));
        rows.zip(self.first..=Keycode::MAX).map(|(row, keycode)| (keycode, row))
    }

    /// The key that types a symbol, in the first group of the layout.
    fn stroke(&self, symbol: Keysym) -> Option<Stroke> {
        let in_column = |column: usize| {
            let mut rows = self.rows();
            rows.find(|(_, row)| row.get(column) == Some(&symbol)).map(|(keycode, _)| keycode)
        };
        let plain = in_column(0).map(|keycode| Stroke { keycode, shift: false });
        plain.or_else(|| in_column(1).map(|keycode| Stroke { keycode, shift: true }))
    }
}

impl<'d, 'c> Keyboard<'d, 'c> {
    /// Reads the keyboard of a display.
    pub(crate) fn open(display: &'d Display<'c>) -> Answer<Self> {
        let connection = &display.connection;
        let setup = connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = connection.get_keyboard_mapping(first, last - first + 1)?;
        let modifiers = connection.get_modifier_mapping()?;
        let pointer = connection.query_pointer(display.root)?;
        let mapping = mapping.reply()?;
        let layout =
            Layout { first, width: mapping.keysyms_per_keycode.into(), symbols: mapping.keysyms };
        let modifiers = modifiers.reply()?.keycodes;
        let spare = layout
            .rows()
            .filter(|(keycode, row)| {
                row.iter().all(|symbol| *symbol == NO_SYMBOL) && !modifiers.contains(keycode)
            })
            .map(|(keycode, _)| SpareKey { keycode, symbol: NO_SYMBOL })
            .collect();
        let state = u16::from(pointer.reply()?.mask);
        let caps_lock = state & u16::from(KeyButMask::LOCK) != 0;
        let other_group = state & GROUP != 0;
        Ok(Self { display, layout, spare, held: RefCell::default(), caps_lock, other_group })
    }

    /// Whether the layout has a key for this symbol that types it now.
    pub(crate) fn own_key(&self, symbol: Keysym) -> Option<Stroke> {
        if self.other_group || self.caps_lock && is_letter(symbol) {
            return None;
        }
        self.layout.stroke(symbol)
    }

    /// The key of a modifier.
    pub(crate) fn modifier(&self, symbol: Keysym) -> Result<Keycode, ToolError> {
        self.layout.stroke(symbol).map(|stroke| stroke.keycode).ok_or_else(|| {
            self.display.error(Code::Unsupported, "the keyboard has no such modifier")
        })
    }

    /// The key that types this symbol, as far as there is one yet.
    pub(crate) fn stroke(&self, symbol: Keysym) -> Option<Stroke> {
        let spare = self.spare.iter().find(|key| key.symbol == symbol);
        let spare = spare.map(|key| Stroke { keycode: key.keycode, shift: false });
        self.own_key(symbol).or(spare)
    }

    /// Puts symbols on keys without one. False if there are too few keys.
    pub(crate) fn add(&mut self, symbols: &[Keysym]) -> Answer<bool> {
        for symbol in symbols {
            let Some(index) = self.spare.iter().position(|key| key.symbol == NO_SYMBOL) else {
                return Ok(false);
            };
            self.spare[index].symbol = *symbol;
            self.put(self.spare[index])?;
        }
        Ok(true)
    }

    /// Keys on which a symbol can still be put.
    pub(crate) fn free(&self) -> usize {
        self.spare.iter().filter(|key| key.symbol == NO_SYMBOL).count()
    }

    /// Whether any key got a symbol.
    pub(crate) fn is_changed(&self) -> bool {
        self.spare.iter().any(|key| key.symbol != NO_SYMBOL)
    }

    /// Makes all keys free. Programs must have looked up what was typed.
    pub(crate) fn clear(&mut self) -> Answer<()> {
        for index in 0..self.spare.len() {
            if self.spare[index].symbol != NO_SYMBOL {
                self.spare[index].symbol = NO_SYMBOL;
                self.put(self.spare[index])?;
            }
        }
        Ok(())
    }

    /// Sets the symbols of a key: the same one for each level and group, so that no modifier matters.
    fn put(&self, key: SpareKey) -> Answer<()> {
        let symbols = [key.symbol; 4];
        self.display.connection.change_keyboard_mapping(1, key.keycode, 4, &symbols)?;
        Ok(())
    }

    /// Presses and releases a key while others are held.
    pub(crate) fn press(&self, held: &[Keycode], stroke: Stroke) -> Result<(), ToolError> {
        let mut held = held.to_vec();
        if stroke.shift {
            let shift = self.modifier(SHIFT)?;
            if !held.contains(&shift) {
                held.push(shift);
            }
        }
        let sent = (|| {
            for key in held.iter().chain([&stroke.keycode]) {
                self.held.borrow_mut().push(*key);
                self.fake(KEY_PRESS_EVENT, *key)?;
            }
            self.release_all()
        })();
        sent.map_err(|error| self.display.failed(error))
    }

    fn release_all(&self) -> Answer<()> {
        while let Some(key) = self.held.borrow_mut().pop() {
            self.fake(KEY_RELEASE_EVENT, key)?;
        }
        Ok(())
    }

    fn fake(&self, kind: u8, key: Keycode) -> Answer<()> {
        let root = self.display.root;
        self.display.connection.xtest_fake_input(kind, key, x11rb::CURRENT_TIME, root, 0, 0, 0)?;
        Ok(())
    }
}

impl Drop for Keyboard<'_, '_> {
    fn drop(&mut self) {
        // If the connection has ended, nothing can be done; the keys were released with those that were sent.
        let _ = self.release_all();
        let _ = self.clear();
        let _ = self.display.sync();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_typed_by_its_plain_key_if_there_is_one() {
        let symbols = ['a', 'A', '1', '!', '!', '1'].map(Keysym::from).to_vec();
        let layout = Layout { first: 8, width: 2, symbols };
        let stroke = |symbol: char| layout.stroke(symbol.into());
        assert_eq!(stroke('a'), Some(Stroke { keycode: 8, shift: false }));
        assert_eq!(stroke('A'), Some(Stroke { keycode: 8, shift: true }));
        assert_eq!(stroke('!'), Some(Stroke { keycode: 10, shift: false }));
        assert_eq!(stroke('z'), None);
    }
}
