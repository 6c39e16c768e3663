// Reads private members of OpenSpiel's states, whose public accessors leave out part of the position.
//
// Access checks do not apply to the arguments of an explicit instantiation ([temp.spec]/6), so a template instantiated
// there may expose a pointer to a private member. This is legal C++ and checked by the compiler: a renamed member fails
// the build, and the module refuses any other open_spiel version (native.py).
#pragma once

namespace starspiel {

template <class Tag, typename Tag::Pointer kPointer>
struct Expose {
  friend constexpr typename Tag::Pointer Member(Tag) { return kPointer; }
};

}  // namespace starspiel

// After STARSPIEL_EXPOSE(Name, Class, Type, member): state.*Member(Name{}).
#define STARSPIEL_EXPOSE(Name, Class, Type, member) \
  struct Name {                                     \
    using Pointer = Type Class::*;                  \
    friend constexpr Pointer Member(Name);          \
  };                                                \
  template struct ::starspiel::Expose<Name, &Class::member>
