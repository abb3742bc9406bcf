/**
 * Symbols of Rust in the newer mangling (RFC 2603), written as panics print them: without the
 * numbers of crates. `_RNvMNtCs1234_4shop4cartNtB2_4Cart3add` is `<shop::cart::Cart>::add`.
 */
// cspell:ignore aslxni htmyoj isize usize

import { EnoughRead, RustV0Cursor } from './rust-v0-cursor.ts'
import { NotASymbol } from './symbol-cursor.ts'

const basicTypes: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
}

/** Expects the symbol behind `_R`, of ASCII alone. Undefined for any other text. */
export function readRustV0(symbol: string): string | undefined {
  return new RustV0Symbol(symbol).read()
}

class RustV0Symbol extends RustV0Cursor {
  #boundLifetimes = 0

  constructor(text: string) {
    super(text)
  }

  read(): string | undefined {
    try {
      this.#path(true)
      // The crate that needed the instance follows; it is not shown.
      if (/^[A-Z]/.test(this.peek())) this.hidden(() => this.#path(false))
      return this.isAtEnd ? this.out : undefined
    } catch (error) {
      if (error instanceof EnoughRead) return this.out
      if (error instanceof NotASymbol) return undefined
      throw error
    }
  }

  /** @param inValue arguments then follow `::`, as in an expression */
  #path(inValue: boolean): void {
    this.nested(() => this.#readPath(inValue))
  }

  #readPath(inValue: boolean): void {
    const tag = this.next()
    switch (tag) {
      case 'C':
        this.optionalBase62('s')
        this.print(this.identifier())
        return
      case 'N':
        this.#readNested(inValue)
        return
      case 'M':
      case 'X':
      case 'Y':
        if (tag !== 'Y') {
          this.optionalBase62('s')
          this.hidden(() => this.#path(false))
        }
        this.print('<')
        this.#type()
        if (tag !== 'M') {
          this.print(' as ')
          this.#path(false)
        }
        this.print('>')
        return
      case 'I':
        this.#path(inValue)
        this.print(inValue ? '::<' : '<')
        this.list(', ', () => this.#genericArgument())
        this.print('>')
        return
      case 'B':
        this.backReference(() => this.#path(inValue))
        return
      default:
        this.fail()
    }
  }

  #readNested(inValue: boolean): void {
    const space = this.next()
    if (!/^[A-Za-z]$/.test(space)) this.fail()
    this.#path(inValue)
    const number = this.optionalBase62('s')
    const name = this.identifier()
    if (space >= 'a') {
      if (name !== '') this.print(`::${name}`)
      return
    }
    const kind = space === 'C' ? 'closure' : space === 'S' ? 'shim' : space
    this.print(`::{${kind}${name === '' ? '' : `:${name}`}#${number}}`)
  }

  #genericArgument(): void {
    if (this.eat('L')) this.#printLifetime(this.base62())
    else if (this.eat('K')) this.#constant(false)
    else this.#type()
  }

  #type(): void {
    this.nested(() => this.#readType())
  }

  #readType(): void {
    const tag = this.next()
    const basic = basicTypes[tag]
    if (basic !== undefined) {
      this.print(basic)
      return
    }
    switch (tag) {
      case 'R':
      case 'Q':
        this.print('&')
        if (this.eat('L')) {
          const lifetime = this.base62()
          if (lifetime !== 0) {
            this.#printLifetime(lifetime)
            this.print(' ')
          }
        }
        if (tag === 'Q') this.print('mut ')
        this.#type()
        return
      case 'P':
      case 'O':
        this.print(tag === 'P' ? '*const ' : '*mut ')
        this.#type()
        return
      case 'A':
      case 'S':
        this.print('[')
        this.#type()
        if (tag === 'A') {
          this.print('; ')
          this.#constant(true)
        }
        this.print(']')
        return
      case 'T': {
        this.print('(')
        const count = this.list(', ', () => this.#type())
        this.print(count === 1 ? ',)' : ')')
        return
      }
      case 'F':
        this.#binder(() => this.#functionType())
        return
      case 'D':
        this.print('dyn ')
        this.#binder(() => this.list(' + ', () => this.#dynamicTrait()))
        this.#dynamicLifetime()
        return
      case 'B':
        this.backReference(() => this.#type())
        return
      default:
        this.at--
        this.#path(false)
    }
  }

  #functionType(): void {
    if (this.eat('U')) this.print('unsafe ')
    if (this.eat('K')) {
      const abi = this.eat('C') ? 'C' : this.identifier().replaceAll('_', '-')
      this.print(`extern "${abi}" `)
    }
    this.print('fn(')
    this.list(', ', () => this.#type())
    this.print(')')
    if (this.eat('u')) return
    this.print(' -> ')
    this.#type()
  }

  #dynamicLifetime(): void {
    this.expect('L')
    const lifetime = this.base62()
    if (lifetime === 0) return
    this.print(' + ')
    this.#printLifetime(lifetime)
  }

  #dynamicTrait(): void {
    let isOpen = this.#openPath()
    while (this.eat('p')) {
      this.print(isOpen ? ', ' : '<')
      isOpen = true
      this.print(`${this.identifier()} = `)
      this.#type()
    }
    if (isOpen) this.print('>')
  }

  /** A path whose arguments are not closed yet, because bindings of types may follow. */
  #openPath(): boolean {
    return this.nested(() => {
      if (this.eat('B')) {
        let isOpen = false
        this.backReference(() => {
          isOpen = this.#openPath()
        })
        return isOpen
      }
      if (!this.eat('I')) {
        this.#path(false)
        return false
      }
      this.#path(false)
      this.print('<')
      this.list(', ', () => this.#genericArgument())
      return true
    })
  }

  #binder(read: () => void): void {
    const count = this.optionalBase62('G')
    if (count > 32) this.fail()
    if (count > 0) {
      this.print('for<')
      for (let index = 0; index < count; index++) {
        if (index > 0) this.print(', ')
        this.#boundLifetimes++
        this.#printLifetime(1)
      }
      this.print('> ')
    }
    read()
    this.#boundLifetimes -= count
  }

  #printLifetime(index: number): void {
    if (index === 0) {
      this.print("'_")
      return
    }
    const depth = this.#boundLifetimes - index
    if (depth < 0) this.fail()
    this.print(depth < 26 ? `'${String.fromCharCode(0x61 + depth)}` : `'_${depth}`)
  }

  #constant(inValue: boolean): void {
    this.nested(() => this.#readConstant(inValue))
  }

  #readConstant(inValue: boolean): void {
    const tag = this.next()
    if ('htmyoj'.includes(tag)) this.print(this.number())
    else if ('aslxni'.includes(tag)) this.print(`${this.eat('n') ? '-' : ''}${this.number()}`)
    else if (tag === 'p') this.print('_')
    else if (tag === 'b') this.print(this.hexDigits() === '0' ? 'false' : 'true')
    else if (tag === 'c') {
      const code = Number.parseInt(this.hexDigits() || '0', 16)
      if (code > 0x10ffff || (0xd800 <= code && code <= 0xdfff)) this.fail()
      const text = String.fromCodePoint(code)
      this.print(`'${text === "'" || text === '\\' ? '\\' : ''}${text}'`)
    } else if (tag === 'e') this.print(`*"${this.textOfHex()}"`)
    else if (tag === 'R' && this.eat('e')) this.print(`"${this.textOfHex()}"`)
    else if (tag === 'B') this.backReference(() => this.#constant(inValue))
    else this.#braced(inValue, () => this.#compound(tag))
  }

  /** A constant of several words is in braces where a type is expected. */
  #braced(inValue: boolean, read: () => void): void {
    if (!inValue) this.print('{')
    read()
    if (!inValue) this.print('}')
  }

  #compound(tag: string): void {
    const values = () => this.list(', ', () => this.#constant(true))
    switch (tag) {
      case 'R':
      case 'Q':
        this.print(tag === 'R' ? '&' : '&mut ')
        this.#constant(true)
        return
      case 'A':
        this.print('[')
        values()
        this.print(']')
        return
      case 'T':
        this.print('(')
        this.print(values() === 1 ? ',)' : ')')
        return
      case 'V':
        this.#path(true)
        if (this.eat('U')) return
        if (this.eat('T')) {
          this.print('(')
          values()
          this.print(')')
          return
        }
        this.expect('S')
        this.print(' { ')
        this.list(', ', () => {
          this.optionalBase62('s')
          this.print(`${this.identifier()}: `)
          this.#constant(true)
        })
        this.print(' }')
        return
      default:
        this.fail()
    }
  }
}
