//! NumPy, if it is installed.

use crate::dtype::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// Objects of NumPy. Its dtypes are looked up once, because finding one by name costs more than a new
/// array.
pub struct NumPy {
    from_buffer: Py<PyAny>,
    empty: Py<PyAny>,
    /// NumPy dtype for each type in [`DType::ALL`].
    dtypes: Vec<Py<PyAny>>,
}

impl NumPy {
    fn new(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("numpy")?;
        let dtype = |it: &DType| Ok(module.call_method1("dtype", (it.name(),))?.unbind());
        Ok(Self {
            from_buffer: module.getattr("frombuffer")?.unbind(),
            empty: module.getattr("empty")?.unbind(),
            dtypes: DType::ALL.iter().map(dtype).collect::<PyResult<_>>()?,
        })
    }

    /// Returns the type for a NumPy dtype object.
    pub fn known(&self, dtype: &Bound<'_, PyAny>) -> Option<DType> {
        let place = self.dtypes.iter().position(|it| it.is(dtype))?;
        Some(DType::ALL[place])
    }

    /// Returns an array of the numbers in some memory.
    pub fn array<'py>(
        &self,
        memory: Bound<'py, PyAny>,
        dtype: DType,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = memory.py();
        let place = DType::ALL.iter().position(|it| *it == dtype);
        let dtype = place.map(|place| self.dtypes[place].bind(py));
        match memory.len()? {
            // `frombuffer` rejects empty buffers.
            0 => self.empty.bind(py).call1((0, dtype)),
            _ => self.from_buffer.bind(py).call1((memory, dtype)),
        }
    }
}

/// Returns NumPy, if it is installed.
pub fn numpy(py: Python<'_>) -> Option<&NumPy> {
    static NUMPY: PyOnceLock<Option<NumPy>> = PyOnceLock::new();
    NUMPY.get_or_init(py, || NumPy::new(py).ok()).as_ref()
}

/// Returns the type for an argument: a name such as `uint32` or `<u4`, or anything that
/// `numpy.dtype` accepts.
pub fn dtype_of(argument: &Bound<'_, PyAny>) -> PyResult<DType> {
    let of_name = |name: &Bound<'_, PyString>| {
        let name = name.to_str()?;
        DType::named(name).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "dtype {name:?} is not a number of 1 to 8 bytes in this machine's byte order, \
                 such as 'uint32' or 'float64'"
            ))
        })
    };
    if let Ok(name) = argument.cast::<PyString>() {
        return of_name(name);
    }
    if let Some(known) = numpy(argument.py()).and_then(|numpy| numpy.known(argument)) {
        return Ok(known);
    }
    let dtype = argument.py().import("numpy")?.getattr("dtype")?;
    let name = if argument.is_instance(&dtype)? {
        argument.getattr("str")?
    } else {
        dtype.call1((argument,))?.getattr("str")?
    };
    of_name(name.cast()?)
}
