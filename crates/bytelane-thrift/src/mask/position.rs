//! Position in a message of which a mask selects parts.

use super::node::Node;

/// Position in a message, with what is selected around it. `L` says what is left of a container.
#[derive(Debug)]
pub(super) struct Position<'m, L> {
    /// Innermost value around the position of which only parts are selected.
    pub(super) level: Level<'m, L>,
    /// Such values around that one, from the whole value inwards.
    outer: Vec<Level<'m, L>>,
    /// Number of parts around the position within `level`, all of which are selected as a whole.
    pub(super) within: u32,
}

/// Value of which parts are selected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'m, L> {
    pub(super) node: &'m Node,
    pub(super) kind: Kind<L>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<L> {
    /// A struct.
    Struct,
    /// A container: what is left of it, and the next index.
    Container(L, i64),
    /// The same, with the position in an element or entry that is selected as a whole.
    Part(L, i64),
}

impl<'m, L: Copy> Position<'m, L> {
    pub(super) fn new(node: &'m Node) -> Self {
        let kind = Kind::Struct;
        Self {
            level: Level { node, kind },
            outer: Vec::new(),
            within: 0,
        }
    }

    /// Returns whether everything at the position is selected.
    #[inline]
    pub(super) fn is_all(&self) -> bool {
        self.within > 0 || self.level.node.is_all()
    }

    /// Enters a part of a value, which is selected or has parts that are.
    #[inline]
    pub(super) fn enter(&mut self, node: &'m Node, kind: Kind<L>) {
        if node.is_all() {
            self.within += 1;
            return;
        }
        self.outer.push(self.level);
        self.level = Level { node, kind };
    }

    /// Leaves a part of a value.
    #[inline]
    pub(super) fn leave(&mut self) {
        if self.within > 0 {
            self.within -= 1;
        } else if let Some(level) = self.outer.pop() {
            self.level = level;
        }
    }

    /// Returns the depth of the position, to which it can be reset as long as it is not further out.
    pub(super) fn mark(&self) -> (usize, u32) {
        (self.outer.len(), self.within)
    }

    pub(super) fn reset(&mut self, (outer, within): (usize, u32)) {
        // The level at the mark is behind the levels that were around it, if it is not the current one.
        if let Some(level) = self.outer.get(outer) {
            self.level = *level;
            self.outer.truncate(outer);
        }
        self.within = within;
    }
}
