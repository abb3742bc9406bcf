/** Symbols of real compilers against the names that their own tools give them. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cleanFunction } from '../../grouping/frames/clean-function.ts'
import { demangle } from './demangle.ts'

// cspell:disable

const symbolsOf = (name: string) =>
  Object.entries(
    JSON.parse(readFileSync(`test/fixtures/symbols/${name}.json`, 'utf8')) as Record<
      string,
      string
    >,
  )
const shown = (name: string) => name.slice(0, 256)
const cleaned = (name: string) => cleanFunction('native', shown(name))

describe.each(['rust-v0', 'rust-legacy'])('%s', (name) => {
  test.each(symbolsOf(name))('%s', (symbol, want) => {
    expect(shown(demangle(symbol))).toBe(shown(want))
  })
})

describe('itanium', () => {
  // The tools of GCC and Clang do not agree on blanks and on types of arguments.
  test.each(symbolsOf('itanium'))('%s', (symbol, want) => {
    expect(cleaned(demangle(symbol))).toBe(cleaned(want))
  })
})

describe('msvc', () => {
  // The tool says which types are classes, repeats the arguments of a template in the names of its
  // constructors, and numbers the blocks of a function.
  const ofTool = (name: string) =>
    cleaned(name.replace(/\b(?:class|struct|enum) /g, '').replace('operator ""', 'operator"" '))
      .replace(/<T>(::~?List)<T>$/, '<T>$1')
      .replace(/`\d+'::/, '')
      .replace("dtor'", "destructor'")
  // Grouping finds no name in a conversion to a template, in either form.
  const named = symbolsOf('msvc').filter(([symbol]) => !/^\?\?B.*PEAV\?\$/.test(symbol))
  test.each(named)('%s', (symbol, want) => {
    const name = demangle(symbol)
    expect(name).not.toBe(symbol)
    expect(cleaned(name)).toBe(ofTool(want))
  })
})

// biome-ignore format: one symbol a line
test.each([
  ['a function of C++ on Windows', '?add@@YAHH@Z', 'add'],
  ['a method', '?add@Cart@shop@@QEBAHPEBD@Z', 'shop::Cart::add'],
  ['a method on 32 bits', '?add@Cart@shop@@QAEHPBD@Z', 'shop::Cart::add'],
  ['a method of a template', '?add@?$Cart@H$03@shop@@QEAAXH@Z', 'shop::Cart<int, 4>::add'],
  ['a template in its own scope', '??$put@PEBD@?$Cart@V?$Cart@H@shop@@@shop@@QEAAXPEBD@Z', 'shop::Cart<shop::Cart<int>>::put<char const*>'],
  ['a constructor', '??0Cart@shop@@QEAA@AEBV01@@Z', 'shop::Cart::Cart'],
  ['a destructor of a template', '??1?$Cart@H@shop@@UEAA@XZ', 'shop::Cart<int>::~Cart'],
  ['a destructor that the compiler wrote', '??_GCart@shop@@UEAAPEAXI@Z', "shop::Cart::`scalar deleting destructor'"],
  ['an operator', '??6shop@@YAAEAVostream@0@AEAV10@AEBUCart@0@@Z', 'shop::operator<<'],
  ['an operator of a template', '??$?6H@shop@@YAXH@Z', 'shop::operator<< <int>'],
  ['a constructor that is a template', '??$?0H@Cart@shop@@QEAA@H@Z', 'shop::Cart::Cart'],
  ['a conversion that is a template', '??$?BH@Cart@shop@@QEBAHXZ', 'shop::Cart::operator int()'],
  ['a conversion', '??BCart@shop@@QEBA_NXZ', 'shop::Cart::operator bool()'],
  ['a conversion to a pointer to a template', '??B?$List@V?$List@E$02@shop@@$04@shop@@QEBAPEAV?$List@E$02@1@XZ', 'shop::List<shop::List<unsigned char, 3>, 5>::operator shop::List<unsigned char, 3>*()'],
  ['a conversion to a class', '??BCart@shop@@QEBA?BV?$basic@D@std@@XZ', 'shop::Cart::operator std::basic<char> const()'],
  ['an anonymous namespace', '?add@?A0x8f1a2b3c@shop@@YAXXZ', 'shop::(anonymous namespace)::add'],
  ['a lambda of Clang', '??R<lambda_0>@?0??sync@shop@@YAHXZ@QEBA?A?<auto>@@H@Z', 'shop::sync::<lambda_0>::operator()'],
  ['a lambda', '??R<lambda_5b1c2d>@@QEBA@H@Z', '<lambda_5b1c2d>::operator()'],
  ['a local class', '?go@Local@?1??sync@shop@@YAHXZ@QEAAHXZ', 'shop::sync::Local::go'],
  ['a thunk', '?run@Both@shop@@W7EAAXXZ', 'shop::Both::run'],
  ['a static method', '?count@Both@shop@@SAHXZ', 'shop::Both::count'],
  ['a variable', '?count@shop@@3HA', 'shop::count'],
  ['a name beyond ASCII', '?add@Größe@shop@@YAXXZ', 'shop::Größe::add'],
  ['a name by reference', '?add@Cart@shop@1@YAXXZ', 'Cart::shop::Cart::add'],
  ['a number of a template', '??$value@$0?BCM@@shop@@YAXXZ', 'shop::value<-300>'],
  ['a number with its type', '??$value@$MH0?BCM@@shop@@YAXXZ', 'shop::value<-300>'],
  ['a function as an argument', '??$call@$1?fee@shop@@YAHXZ@shop@@YAHXZ', 'shop::call<&shop::fee>'],
] as const)('%s', (_name, symbol, want) => {
  expect(demangle(symbol)).toBe(want)
})

// biome-ignore format: one symbol a line
test.each([
  ['a function', '_Z3addii', 'add(int, int)'],
  ['a method', '_ZNK4shop4Cart3addEi', 'shop::Cart::add(int) const'],
  ['a method of a template', '_ZN4shop4CartIiLi3EE3addERKi', 'shop::Cart<int, 3>::add(int const&)'],
  ['a template with its return type', '_ZN4shop3putIiEEvT_', 'void shop::put<int>(int)'],
  ['a template that returns a pointer to a function', '_Z3getIiEPFvT_Es', 'void (*get<int>(short))(int)'],
  ['a pack of arguments', '_Z3allIJicdEEvDpOT_', 'void all<int, char, double>(int&&, char&&, double&&)'],
  ['constructors', '_ZN4shop4CartC1ERKS0_', 'shop::Cart::Cart(shop::Cart const&)'],
  ['destructors', '_ZN4shop4CartIiED2Ev', 'shop::Cart<int>::~Cart()'],
  ['operators', '_ZN4shoplsERSoRKNS_4CartE', 'shop::operator<<(std::ostream&, shop::Cart const&)'],
  ['operators of templates', '_ZN4shopltIiEEbRKT_', 'bool shop::operator< <int>(int const&)'],
  ['operators without a scope', '_ZdlPv', 'operator delete(void*)'],
  ['a conversion', '_ZNK4Seat4sizecvbEv', 'Seat::size::operator bool() const'],
  ['a literal of a unit', '_Zli3_kme', 'operator"" _km(long double)'],
  ['an anonymous namespace', '_ZN12_GLOBAL__N_13addEi', '(anonymous namespace)::add(int)'],
  ['a lambda', '_ZZN4shop4syncEvENKUliE0_clEi', 'shop::sync()::{lambda(int)#2}::operator()(int) const'],
  ['a lambda in a default argument', '_ZZN4shop4syncEiEd_NKUlvE_clEv', 'shop::sync(int)::{default arg#1}::{lambda()#1}::operator()() const'],
  ['a static variable of a function', '_ZZN4shop4syncEvE5count_0', 'shop::sync()::count'],
  ['a tag of the binary interface', '_ZN4shop4nameB5cxx11Ev', 'shop::name[abi:cxx11]()'],
  ['a thunk', '_ZThn16_N4shop4Cart3addEi', 'non-virtual thunk to shop::Cart::add(int)'],
  ['a thunk of a virtual base', '_ZTv0_n24_N4shop4Cart3addEi', 'virtual thunk to shop::Cart::add(int)'],
  ['a part that the compiler split off', '_ZN4shop3addEi.cold', 'shop::add(int) [clone .cold]'],
  ['a version of a library', '_ZNSt6vectorIiSaIiEE2atEm@@GLIBCXX_3.4', 'std::vector<int, std::allocator<int> >::at(unsigned long)'],
  ['a pointer to a member', '_Z3runM4CartKFviE', 'run(void (Cart::*)(int) const)'],
  ['an array', '_Z3sumRA7_KiPA3_S_', 'sum(int const (&) [7], int const (*) [3])'],
  ['a condition of a template', '_Z2enIiENSt9enable_ifIXsr3std11is_integralIT_EE5valueES1_E4typeES1_', 'std::enable_if<std::is_integral<int>::value, int>::type en<int>(int)'],
  ['a function as an argument of a template', '_ZN5ValueIXadL_Z3addiEEE3runEv', 'Value<&add>::run()'],
  ['the underscore of Apple', '__ZN4shop3addEi', 'shop::add(int)'],
  ['a block of Apple', '___ZN4shop3addEi_block_invoke_2', 'invocation function for block in shop::add(int)'],
  ['a name beyond ASCII', '_ZN4shop7Größe3addEv', 'shop::Größe::add()'],
  ['Rust, old', '_ZN4shop4cart3add17h0123456789abcdefE', 'shop::cart::add'],
  ['Rust, old, of Apple', '__ZN4shop4cart3add17h0123456789abcdefE', 'shop::cart::add'],
  ['Rust, old, a part of the linker', '_ZN4shop4cart3add17h0123456789abcdefE.llvm.1234567890', 'shop::cart::add'],
  ['Rust, old, a part that was split off', '_ZN4shop4cart3add17h0123456789abcdefE.cold', 'shop::cart::add.cold'],
  ['Rust, old, escapes', '_ZN71_$LT$$RF$$u5b$T$u5d$$u20$as$u20$core..iter..IntoIterator$GT$$LP$$C$$RP$9into_iter17h0123456789abcdefE', '<&[T] as core::iter::IntoIterator>(,)::into_iter'],
  ['Rust, old, an escape of a lone surrogate', '_ZN4shop11$ud800$name17h0123456789abcdefE', 'shop::$ud800$name'],
  ['Rust, new', '_RNvNtCs1234_4shop4cart3add', 'shop::cart::add'],
  ['Rust, new, of Apple', '__RNvNtCs1234_4shop4cart3add', 'shop::cart::add'],
  ['Rust, new, a closure', '_RNCNvCs1234_4shop4main0', 'shop::main::{closure#0}'],
  ['Rust, new, a part of the linker', '_RNvCs1234_4shop4main.llvm.0123ABCD', 'shop::main'],
] as const)('%s', (_name, symbol, want) => {
  expect(demangle(symbol)).toBe(want)
})

// biome-ignore format: one name a line
test.each([
  ['an empty name', ''],
  ['a name of C', '_start'],
  ['a name that begins like a symbol', '_Zebra'],
  ['a name that a person chose', '_Z3add'],
  ['another one', '_ZN'],
  ['a name of Python', '_RIGHT'],
  ['a name of a minifier', '_R'],
  ['a scope that does not end', '_ZN4shop3add'],
  ['a length beyond the end', '_ZN4shop99addEv'],
  ['a length of many digits', '_ZN4shop99999999999999999999addEv'],
  ['a substitution of nothing', '_ZN4shop3addES9_'],
  ['text behind the end', '_ZN4shop3addEi rest'],
  ['Rust, a path that does not end', '_RNvNtCs1234_4shop4cart'],
  ['Rust, a reference to itself', '_RNvB_3add'],
  ['Rust, a reference forwards', '_RNvB9_3add'],
  ['a name that is not known', '?'],
  ['names that are not known', '???'],
  ['a query', '?add@shop'],
  ['a symbol without a type', '?add@shop@@'],
  ['a symbol that goes on', '?add@shop@@YAXXZ rest'],
  ['a reference to no name', '?add@9@YAXXZ'],
  ['a reference to no type', '?add@shop@@YAX9@Z'],
  ['a template that does not end', '?add@?$Cart@H'],
  ['a class that is an operator', '?add@?$?6H@shop@@YAXXZ'],
  ['a constructor of nothing', '??0@QEAA@XZ'],
  ['NUL in a name', '?a\0d@shop@@YAXXZ'],
  ['an operator by a name of JavaScript', '??constructor@shop@@YAXXZ'],
  ['a suffix with a blank', '_ZN4shop3addEi.x y'],
] as const)('%s is unchanged', (_name, symbol) => {
  expect(demangle(symbol)).toBe(symbol)
})
