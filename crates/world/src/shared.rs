//! Data that worlds and snapshots share until one of them writes to it.

use std::sync::Arc;

/// Items of one piece of a [`Column`].
///
/// - Reason: a write after a snapshot copies one piece, a snapshot counts one reference for each.
const PIECE: usize = 256;

/// The list to be filled anew, with its memory if nobody shares it; it stays empty until [`put`].
pub(crate) fn take<T>(list: &mut Arc<Vec<T>>) -> Vec<T> {
    let mut taken = Arc::get_mut(list).map(std::mem::take).unwrap_or_default();
    taken.clear();
    taken
}

/// Replaces a value, in place if nobody shares it.
pub(crate) fn put<T>(place: &mut Arc<T>, value: T) {
    match Arc::get_mut(place) {
        Some(old) => *old = value,
        None => *place = Arc::new(value),
    }
}

/// A growing list in pieces that are shared one by one.
#[derive(Clone, Debug)]
pub(crate) struct Column<T> {
    pieces: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }
}

impl<T: Clone> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut column = Self::default();
        items.into_iter().for_each(|item| column.push(item));
        column
    }
}

impl<T: Clone> Column<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.pieces.get(place / PIECE)?.get(place % PIECE)
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        Arc::make_mut(self.pieces.get_mut(place / PIECE)?).get_mut(place % PIECE)
    }

    pub(crate) fn push(&mut self, item: T) {
        if self.len.is_multiple_of(PIECE) {
            self.pieces.push(Arc::new(Vec::with_capacity(PIECE)));
        }
        if let Some(last) = self.pieces.last_mut() {
            Arc::make_mut(last).push(item);
            self.len += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_what_nobody_writes() {
        let mut column: Column<u32> = (0..1000).collect();
        let before = column.clone();
        *column.get_mut(700).unwrap() = 7;
        column.push(1000);
        let shared = |piece: usize| Arc::ptr_eq(&before.pieces[piece], &column.pieces[piece]);
        assert_eq!([0, 1, 2, 3].map(shared), [true, true, false, false]);
        assert_eq!((before.get(700), before.len()), (Some(&700), 1000));
        assert_eq!(
            (column.get(700), column.get(1000), column.get(1001)),
            (Some(&7), Some(&1000), None)
        );
        assert_eq!(column.iter().count(), 1001);
    }

    #[test]
    fn a_shared_list_is_left_to_the_others() {
        let mut list = Arc::new(vec![1, 2, 3]);
        let memory = list.as_ptr();
        let mut taken = take(&mut list);
        assert!(taken.is_empty() && taken.as_ptr() == memory);
        taken.push(4);
        put(&mut list, taken);
        let other = Arc::clone(&list);
        assert_eq!(take(&mut list).capacity(), 0);
        put(&mut list, vec![5]);
        assert_eq!((&*other, &*list), (&vec![4], &vec![5]));
    }
}
