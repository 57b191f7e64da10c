//! The names of canonical built-ins, with the type they are for.
//!
//! The type matters: a `future-read` of a completion is how the relay waits, a `future-read` of trailers would be how
//! it reads what a peer sent.

use wasmparser::CanonicalFunction as F;
use wasmparser::component_types::{ComponentDefinedType, ComponentValType};
use wasmparser::types::TypesRef;

/// A built-in as a component has it.
#[derive(Debug, Clone)]
pub(super) struct Builtin {
    name: String,
    ty: Option<u32>,
}

impl Builtin {
    /// The built-in of a canonical function; none for lifting, lowering and dropping, which serve the functions and
    /// resources that the interfaces list by name.
    pub(super) fn of(function: &F) -> Option<Self> {
        let ty = match function {
            F::Lift { .. } | F::Lower { .. } | F::ResourceDrop { .. } => return None,
            F::StreamNew { ty }
            | F::StreamRead { ty, .. }
            | F::StreamWrite { ty, .. }
            | F::StreamForward { ty }
            | F::StreamCancelRead { ty, .. }
            | F::StreamCancelWrite { ty, .. }
            | F::StreamDropReadable { ty }
            | F::StreamDropWritable { ty }
            | F::FutureNew { ty }
            | F::FutureRead { ty, .. }
            | F::FutureWrite { ty, .. }
            | F::FutureForward { ty }
            | F::FutureCancelRead { ty, .. }
            | F::FutureCancelWrite { ty, .. }
            | F::FutureDropReadable { ty }
            | F::FutureDropWritable { ty } => Some(*ty),
            _ => None,
        };
        Some(Self { name: name(function), ty })
    }

    /// Its line in the lists: `stream-read stream<u8>`, `task-return`.
    pub(super) fn line(&self, types: TypesRef<'_>) -> String {
        match self.ty {
            Some(ty) => {
                let ty = ComponentValType::Type(types.component_defined_type_at(ty));
                format!("{} {}", self.name, describe(types, ty))
            }
            None => self.name.clone(),
        }
    }
}

/// The parser's own name for the case, in the spelling of the canonical ABI but with dashes: so that a built-in nobody
/// here has heard of has a name too.
fn name(function: &F) -> String {
    let debug = format!("{function:?}");
    let mut name = String::new();
    for letter in debug.chars().take_while(char::is_ascii_alphanumeric) {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// A type, as deep as futures and streams of the edge go; a variant is only called one.
fn describe(types: TypesRef<'_>, ty: ComponentValType) -> String {
    let inner = |ty: Option<ComponentValType>| ty.map_or_else(|| "_".to_owned(), |ty| describe(types, ty));
    let id = match ty {
        ComponentValType::Primitive(primitive) => return primitive.to_string(),
        ComponentValType::Type(id) => id,
    };
    let Some(defined) = types.get(id) else { return "other".to_owned() };
    match defined {
        ComponentDefinedType::Primitive(primitive) => primitive.to_string(),
        ComponentDefinedType::Stream { ty, .. } => format!("stream<{}>", inner(*ty)),
        ComponentDefinedType::Future { ty, .. } => format!("future<{}>", inner(*ty)),
        ComponentDefinedType::Option { ty, .. } => format!("option<{}>", describe(types, *ty)),
        ComponentDefinedType::Result { ok, err, .. } => format!("result<{}, {}>", inner(*ok), inner(*err)),
        ComponentDefinedType::List { element, .. } => format!("list<{}>", describe(types, *element)),
        ComponentDefinedType::Own { .. } => "own".to_owned(),
        ComponentDefinedType::Variant(_) => "variant".to_owned(),
        _ => "other".to_owned(),
    }
}
