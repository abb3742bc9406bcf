/**
 * Symbols of Microsoft's C++ compiler. `?add@Cart@shop@@QEAAHH@Z` is `shop::Cart::add`: as the
 * debugger's library of Windows writes it, without arguments. Those of templates are written.
 */
import { type BackReferences, MsvcTypes } from './msvc-types.ts'
import { cutPart, NotASymbol } from './symbol-cursor.ts'

// cspell:ignore CDKLST GHOPWX Msvc QEAAHH atexit vbase

// biome-ignore format: the columns are the point
const operators: Readonly<Record<string, string>> = {
  2: ' new', 3: ' delete', 4: '=', 5: '>>', 6: '<<', 7: '!', 8: '==', 9: '!=',
  A: '[]', C: '->', D: '*', E: '++', F: '--', G: '-', H: '+', I: '&', J: '->*', K: '/', L: '%',
  M: '<', N: '<=', O: '>', P: '>=', Q: ',', R: '()', S: '~', T: '^', U: '|', V: '&&', W: '||',
  X: '*=', Y: '+=', Z: '-=', _0: '/=', _1: '%=', _2: '>>=', _3: '<<=', _4: '&=', _5: '|=', _6: '^=',
  _U: ' new[]', _V: ' delete[]', __L: ' co_await', __M: '<=>',
}

/** Functions that the compiler writes itself. */
const generated: Readonly<Record<string, string>> = {
  _D: "`vbase destructor'",
  _E: "`vector deleting destructor'",
  _F: "`default constructor closure'",
  _G: "`scalar deleting destructor'",
  __E: "`dynamic initializer'",
  __F: "`dynamic atexit destructor'",
}

const scopesMax = 64
const argumentsMax = 64

/** Expects a text that begins with `?`. Undefined for any other text. */
export function readMsvc(symbol: string): string | undefined {
  try {
    return new MsvcSymbol(symbol).read()
  } catch (error) {
    if (error instanceof NotASymbol) return undefined
    throw error
  }
}

/** A name, or one that its scope or its type gives. */
type OwnName = { readonly text: string } | 'constructor' | 'destructor' | 'conversion'

class MsvcSymbol extends MsvcTypes {
  constructor(symbol: string) {
    super(symbol)
  }

  read(): string {
    const name = this.#symbol()
    return this.isAtEnd ? name : this.fail()
  }

  /** A whole symbol, also within another one. */
  #symbol(): string {
    return this.nested(() => {
      this.expect('?')
      const own = this.#ownName()
      const scopes = this.#scopes()
      const returned = this.#encoding()
      return cutPart([...scopes, textOf(own, scopes, returned)].join('::'))
    })
  }

  #ownName(): OwnName {
    if (this.startsWith('?$')) return this.#templateFunction()
    if (!this.eat('?')) return { text: this.#simpleName() }
    return this.#operator()
  }

  #operator(): OwnName {
    if (this.eat('0')) return 'constructor'
    if (this.eat('1')) return 'destructor'
    if (this.eat('B')) return 'conversion'
    if (this.eat('__K')) return { text: `operator"" ${this.#simpleName()}` }
    const length = this.startsWith('__') ? 3 : this.startsWith('_') ? 2 : 1
    const code = this.take(length)
    if (Object.hasOwn(operators, code)) return { text: `operator${operators[code]}` }
    return Object.hasOwn(generated, code) ? { text: generated[code]! } : this.fail()
  }

  /** The outermost first. */
  #scopes(): string[] {
    const scopes: string[] = []
    while (!this.eat('@')) {
      if (scopes.length === scopesMax) this.fail()
      scopes.unshift(this.nested(() => this.#scope()))
    }
    return scopes
  }

  #scope(): string {
    if (this.startsWith('?$')) return this.#templateClass()
    if (this.eat('?A')) {
      const end = this.text.indexOf('@', this.at)
      if (end === -1 || end - this.at > 32) this.fail()
      this.remember(this.known.names, `?A${this.take(end - this.at)}`)
      this.expect('@')
      return anonymous
    }
    if (!this.eat('?')) return this.#simpleName()
    // The number of a block in a function, and the function.
    this.number()
    this.expect('?')
    return this.#symbol()
  }

  #simpleName(): string {
    if (this.isDigit()) {
      const name = this.known.names[Number(this.next())] ?? this.fail()
      return name.startsWith('?A') ? anonymous : name
    }
    const end = this.text.indexOf('@', this.at)
    if (end <= this.at) this.fail()
    const name = this.take(end - this.at)
    this.expect('@')
    if (!isName.test(name)) this.fail()
    this.remember(this.known.names, name)
    return cutPart(name)
  }

  protected override typeName(): string {
    const own = this.startsWith('?$') ? this.#templateClass() : this.#simpleName()
    return cutPart([...this.#scopes(), own].join('::'))
  }

  /** A class, or a scope. */
  #templateClass(): string {
    const text = this.#template(() => this.#simpleName())
    this.remember(this.known.names, text)
    return text
  }

  #templateFunction(): OwnName {
    let special: OwnName | undefined
    const text = this.#template(() => {
      if (!this.eat('?')) return this.#simpleName()
      const own = this.#operator()
      if (typeof own !== 'string') return own.text
      special = own
      return ''
    })
    return special ?? { text }
  }

  /** Its own name and arguments refer to each other alone. */
  #template(readName: () => string): string {
    this.expect('?$')
    const outer: BackReferences = this.known
    this.known = { names: [], types: [] }
    const name = readName()
    const list: string[] = []
    while (!this.eat('@')) {
      if (list.length === argumentsMax) this.fail()
      const argument = this.nested(() => this.#argument())
      if (argument !== '') list.push(argument)
    }
    this.known = outer
    return cutPart(`${name}${name.endsWith('<') ? ' ' : ''}<${list.join(', ')}>`)
  }

  #argument(): string {
    // Packs without members.
    if (this.eat('$S') || this.eat('$$V') || this.eat('$$$V') || this.eat('$$Z')) return ''
    if (this.eat('$$Y')) return this.typeName()
    // The type of a value, before the value.
    if (this.eat('$M')) {
      this.type()
      return this.#value()
    }
    if (!/[01E]/.test(this.peek(1)) || !this.eat('$')) return this.type()
    return this.#value()
  }

  #value(): string {
    if (this.eat('0')) return String(this.number())
    if (this.eat('1')) return `&${this.#symbol()}`
    this.expect('E')
    return this.#symbol()
  }

  /** Behind the name: what a function returns; undefined for a variable. */
  #encoding(): string | undefined {
    const kind = this.next()
    if (kind === '9') return ''
    if (/[0-4]/.test(kind)) {
      this.type()
      this.thisQualifiers()
      return undefined
    }
    if (!/[A-Z]/.test(kind)) this.fail()
    const isGlobal = kind === 'Y' || kind === 'Z'
    const isStatic = 'CDKLST'.includes(kind)
    // A thunk, with the distance by which it moves the object.
    if ('GHOPWX'.includes(kind)) this.number()
    if (!isGlobal && !isStatic) this.thisQualifiers()
    return this.functionType()
  }
}

const anonymous = '(anonymous namespace)'
/** As compilers allow it; also `<lambda_1>`. */
const isName = /^[\w$<>.\u0080-\uffff-]{1,1024}$/

function textOf(own: OwnName, scopes: readonly string[], returned: string | undefined): string {
  if (typeof own !== 'string') return own.text
  if (own === 'conversion') return `operator ${returned ?? ''}`
  const owner = scopes.at(-1)
  if (owner === undefined) throw new NotASymbol()
  const [name = ''] = owner.split('<', 1)
  return own === 'destructor' ? `~${name}` : name
}
