//! Fields of messages in memory: slots of a Python class, at known places.
//!
//! Python stores an attribute of `__slots__` in a pointer at a fixed distance from the start of the
//! object, also in subclasses. Reading a field there takes a fraction of the time of a look-up by name.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple, PyType};

/// A class, its fields, and where its objects have them.
pub struct Layout {
    class: Py<PyType>,
    names: Vec<Py<PyString>>,
    /// Distance of each field from the start of an object, in bytes.
    offsets: Vec<usize>,
    /// True if the class adds nothing but slots to `object`, so that empty memory is an object of it.
    is_plain: bool,
}

/// Object of the class of a [`Layout`] or of one of its subclasses.
#[derive(Clone, Copy)]
pub struct Instance<'a, 'py>(&'a Bound<'py, PyAny>);

impl Layout {
    /// Finds the slots of a class: writes a marker to each attribute, and looks for it in the memory of
    /// the object.
    pub fn of(class: &Bound<'_, PyType>, names: Vec<Py<PyString>>) -> PyResult<Self> {
        let py = class.py();
        let exception = py.get_type::<pyo3::exceptions::PyBaseException>();
        let is_plain = !class.is_subclass(&exception)?;
        let mut layout = Self {
            class: class.clone().unbind(),
            names,
            offsets: Vec::new(),
            is_plain,
        };
        let header = size_of::<ffi::PyObject>();
        let size = basic_size(class)?;
        let slots = layout.names.len() * size_of::<usize>();
        assert!(
            !is_plain || size == header + slots,
            "the class has memory beside its slots"
        );
        let object = layout.create(class)?;
        for name in &layout.names {
            let marker = PyList::empty(py);
            object.setattr(name, &marker)?;
            let mut places = (header..size).step_by(size_of::<usize>());
            let offset = places.find(|&offset| {
                let word = object.as_ptr().wrapping_byte_add(offset).cast::<usize>();
                // SAFETY: objects have `size` bytes, of which this reads an aligned word as a number.
                // Python initialises all of them.
                unsafe { word.read() == marker.as_ptr().addr() }
            });
            let Some(offset) = offset else {
                return Err(PyTypeError::new_err(format!(
                    "{name} is not a slot of the class"
                )));
            };
            layout.offsets.push(offset);
            object.delattr(name)?;
        }
        Ok(layout)
    }

    /// Returns the class.
    pub fn class<'py>(&self, py: Python<'py>) -> &Bound<'py, PyType> {
        self.class.bind(py)
    }

    /// Returns the name of a field in Python.
    pub fn name<'py>(&self, py: Python<'py>, field: usize) -> &Bound<'py, PyString> {
        self.names[field].bind(py)
    }

    /// Returns the number of the field with a name.
    pub fn position(&self, name: &Bound<'_, PyString>) -> PyResult<Option<usize>> {
        // Keywords in the text of a program are the same object as the name in the class.
        if let Some(field) = self.names.iter().position(|it| it.is(name)) {
            return Ok(Some(field));
        }
        let wanted = name.to_str()?;
        let py = name.py();
        let mut names = self.names.iter();
        Ok(names.position(|it| it.bind(py).to_str().is_ok_and(|it| it == wanted)))
    }

    /// Creates an object without fields.
    pub fn create<'py>(&self, class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        if !self.is_plain {
            return class.call_method1(pyo3::intern!(py, "__new__"), (class,));
        }
        // SAFETY: the class is alive. Its objects are empty memory but for the header, which this initialises: `of` has
        // checked that the class of the IDL has no memory but slots, and this is one of its subclasses in Python.
        let object = unsafe { ffi::PyType_GenericAlloc(class.as_type_ptr(), 0) };
        // SAFETY: it is a new reference, or null and an error.
        unsafe { Bound::from_owned_ptr_or_err(py, object) }
    }

    /// Returns the object as one with these fields, if it is of the class.
    pub fn instance<'a, 'py>(&self, object: &'a Bound<'py, PyAny>) -> Option<Instance<'a, 'py>> {
        let class = self.class(object.py());
        let (of, class) = (object.get_type_ptr(), class.as_type_ptr());
        // SAFETY: both types are alive.
        let is_one = of == class || unsafe { ffi::PyType_IsSubtype(of, class) } != 0;
        is_one.then_some(Instance(object))
    }

    /// Returns the value of a field; `None` if it is unset, or Python's `None`.
    pub fn get<'py>(&self, object: Instance<'_, 'py>, field: usize) -> Option<Bound<'py, PyAny>> {
        let Instance(object) = object;
        let py = object.py();
        let value = if cfg!(Py_GIL_DISABLED) {
            // Another thread may replace the value meanwhile; Python knows how to wait.
            object.getattr(&self.names[field]).ok()?
        } else {
            // SAFETY: an instance has a pointer there. No thread changes it while this one holds the GIL.
            let value = unsafe { self.slot(object, field).read() };
            // SAFETY: it is null, or refers to an object that is alive.
            unsafe { Bound::from_borrowed_ptr_or_opt(py, value)? }
        };
        (!value.is_none()).then_some(value)
    }

    /// Returns whether a field has a value, which may be `None`.
    pub fn has(&self, object: Instance<'_, '_>, field: usize) -> bool {
        // SAFETY: an instance has a pointer there, which is only compared.
        !unsafe { self.slot(object.0, field).read() }.is_null()
    }

    /// Sets a field of an object that no other thread knows.
    pub fn set<'py>(&self, object: Instance<'_, 'py>, field: usize, value: Bound<'py, PyAny>) {
        let Instance(object) = object;
        let slot = self.slot(object, field);
        // SAFETY: an instance has a pointer there, and no other thread knows the object.
        let previous = unsafe { slot.replace(value.into_ptr()) };
        // SAFETY: the slot owned a reference, or none, which is ours now. It is dropped after the slot
        // has the new one: dropping it may run any code.
        drop(unsafe { Bound::from_owned_ptr_or_opt(object.py(), previous) });
    }

    /// Returns the address of a field, for an object that has it.
    fn slot(&self, object: &Bound<'_, PyAny>, field: usize) -> *mut *mut ffi::PyObject {
        let address = object.as_ptr().wrapping_byte_add(self.offsets[field]);
        address.cast()
    }
}

/// Returns the size of the objects of a class, in bytes.
pub fn basic_size(class: &Bound<'_, PyType>) -> PyResult<usize> {
    class.getattr("__basicsize__")?.extract()
}

/// Pause of the garbage collector, which would look for garbage after every 700 new objects. None of those that
/// a message is read into is garbage, and looking takes more than half of the time of large messages.
pub struct Pause {
    was_enabled: bool,
}

impl Pause {
    /// Begins a pause, which ends when it is dropped.
    pub fn new(_: Python<'_>) -> Self {
        // SAFETY: this thread is attached to the interpreter.
        let was_enabled = unsafe { ffi::PyGC_Disable() } != 0;
        Self { was_enabled }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if self.was_enabled {
            // SAFETY: pauses are local variables of functions that are attached.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}

/// List of a known length, filled from the front.
pub struct Filling<'py> {
    list: Bound<'py, PyList>,
    filled: usize,
    len: usize,
}

impl<'py> Filling<'py> {
    /// Creates a list for `len` elements.
    pub fn new(py: Python<'py>, len: usize) -> PyResult<Self> {
        // SAFETY: any length is allowed: too large ones are an error.
        let list = unsafe { ffi::PyList_New(len.cast_signed()) };
        // SAFETY: it is a new reference, or null and an error.
        let list = unsafe { Bound::from_owned_ptr_or_err(py, list)? };
        let list = list.cast_into::<PyList>()?;
        let filled = 0;
        Ok(Self { list, filled, len })
    }

    /// Sets the next element.
    pub fn push(&mut self, value: Bound<'py, PyAny>) -> PyResult<()> {
        if self.filled == self.len {
            return self.list.append(value);
        }
        let (list, index) = (self.list.as_ptr(), self.filled.cast_signed());
        // SAFETY: the list has room there, which is empty. The call takes the reference.
        let failed = unsafe { ffi::PyList_SetItem(list, index, value.into_ptr()) };
        if failed != 0 {
            return Err(PyErr::fetch(self.list.py()));
        }
        self.filled += 1;
        Ok(())
    }

    /// Returns the list, or a tuple of its elements.
    pub fn finish(self, as_tuple: bool) -> Bound<'py, PyAny> {
        if as_tuple {
            self.list.to_tuple().into_any()
        } else {
            self.list.into_any()
        }
    }
}

/// Returns the key and value of an entry.
pub fn pair<'py>(entry: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    match entry.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => Ok((pair.get_item(0)?, pair.get_item(1)?)),
        _ => Err(PyTypeError::new_err("expected pairs of keys and values")),
    }
}
