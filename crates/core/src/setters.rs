//! Builder methods of option structs: one for each field, of its name.
//!
//! Option structs may get more fields, so that no other crate can write them as literals. A caller begins with the
//! defaults and sets what differs: `GenerateOptions::default().objects(50)`.

/// Builder methods. `set` takes the field's type, `option` a value or an `Option`, and `some` the value of an `Option`.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    (impl<$lifetime:lifetime> $options:ty { $($kind:ident $field:ident: $value:ty;)* }) => {
        impl<$lifetime> $options {
            $($crate::setters!(@$kind $field: $value);)*
        }
    };
    (impl $options:ty { $($kind:ident $field:ident: $value:ty;)* }) => {
        impl $options {
            $($crate::setters!(@$kind $field: $value);)*
        }
    };
    (@set $field:ident: $value:ty) => {
        #[doc = concat!("Sets the field `", stringify!($field), "`.")]
        #[must_use]
        pub fn $field(mut self, $field: $value) -> Self {
            self.$field = $field;
            self
        }
    };
    (@option $field:ident: $value:ty) => {
        #[doc = concat!("Sets the field `", stringify!($field), "`, or leaves it open with `None`.")]
        #[must_use]
        pub fn $field(mut self, $field: impl Into<Option<$value>>) -> Self {
            self.$field = $field.into();
            self
        }
    };
    (@some $field:ident: $value:ty) => {
        #[doc = concat!("Sets the field `", stringify!($field), "`.")]
        #[must_use]
        pub fn $field(mut self, $field: $value) -> Self {
            self.$field = Some($field);
            self
        }
    };
}

pub use setters;
