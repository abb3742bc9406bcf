/**
 * Removes from names of C, C++, Objective-C, Swift and Rust functions what changes between builds:
 * arguments, return type, template arguments, trailers, decorations and hashes. It reads the
 * characters once with a depth counter, because regular expressions cannot match nested brackets.
 * Part of g1: a change of any hash must be meant.
 */
import { remember } from './remember.ts'

// cspell:ignore vbase constprop localalias manglings reabstraction

export const cleanNativeFunction = remember((raw) => {
  if (raw === '' || raw === '<redacted>' || raw === '<unknown>' || raw === '???') return ''
  if (isObjectiveC(raw))
    return raw.replace(/^__\d+(?=[-+]\[)/, '').replace(/(_block_invoke)_\d+$/, '$1')

  let name = raw
  if (name.includes('[')) {
    // `shop[8f1a2b3c]::add` has the number of the crate's build.
    name = name
      .replace(/ ?\[clone [^\]]{0,80}\]$/, '')
      .replace(/\[[0-9a-f]{4,16}\](?=::)/g, '')
      // The tag says which form of the standard library a function is compiled for.
      .replace(/\[abi:\w{1,40}\]/g, '')
  }
  if (name.includes('.')) name = cutSuffixes(name)
  if (name.includes('::')) {
    name = name
      .replace(/::h[0-9a-f]{16}$/, '')
      .replace(/::(?:__1|__ndk1|__cxx11|__2)(?=::)/g, '')
      .replace(/\$_\d{1,9}/g, 'lambda')
  }
  return scan(unwrapRustImpl(cutSwift(cutDecoration(name))))
})

/** Windows writes the bytes of the arguments: `_add@12`. */
function cutDecoration(name: string): string {
  const decorated = /^[_@]?([^@]+)@\d{1,5}$/.exec(name)
  return decorated === null ? name : decorated[1]!
}

/** Parts that a compiler split off: `add.cold`, `add.part.0`, `add.llvm.123`. */
function cutSuffixes(name: string): string {
  return name.replace(
    /(?:\.(?:cold|part|isra|constprop|lto_priv|llvm|localalias|__uniq)(?:\.\d{1,40})?){1,8}$/,
    '',
  )
}

/** `closure #1 (Int) -> () in Shop.Cart.add(Int)` is of that method. */
function cutSwift(raw: string): string {
  if (!raw.includes(' ')) return raw
  let name = raw.startsWith('(') ? raw.replace(swiftPart, '') : raw
  if (swiftWrapper.test(name)) {
    const inside = name.lastIndexOf(' in ')
    name = inside === -1 ? name.replace(swiftPrefix, '') : name.slice(inside + 4)
  }
  const type = name.indexOf(' : ')
  return type === -1 ? name : name.slice(0, type)
}

const swiftWrapper =
  /^(?:(?:implicit )?closure #|partial apply|specialized |merged |@objc |outlined |protocol witness|thunk for |reabstraction thunk|curry thunk)/
const swiftPrefix =
  /^(?:(?:partial apply(?: forwarder)? for|specialized|merged|@objc|outlined) ){1,4}/

/** What runs after an `await` is a function: `(2) suspend resume partial function for …`. */
const swiftPart = /^\(\d{1,4}\) (?:suspend resume|await resume|async) partial function for /

function isObjectiveC(name: string): boolean {
  const bracket = name.indexOf('[')
  if (bracket < 1) return false
  const sign = name[bracket - 1]
  return (sign === '-' || sign === '+') && /^(?:__\d+)?[-+]\[/.test(name)
}

/** `<Type as Trait>::method` and `<impl Trait for Type>::method` both become the type's method. */
function unwrapRustImpl(raw: string): string {
  // The older mangling names the module of such a block: `shop::cart::<impl shop::Cart>::add`.
  const block = raw.indexOf('::<impl ')
  const name = block > 0 ? raw.slice(block + 2) : raw
  const start = name.startsWith('_<') ? 1 : 0
  if (name[start] !== '<') return name
  const close = matchingClose(name, start)
  if (close === -1 || !name.startsWith('::', close + 1)) return name
  const inner = name.slice(start + 1, close)
  const rest = name.slice(close + 1)
  const as = inner.indexOf(' as ')
  if (as !== -1) return inner.slice(0, as) + rest
  const forType = inner.indexOf(' for ')
  if (inner.startsWith('impl '))
    return (forType === -1 ? inner.slice(5) : inner.slice(forType + 5)) + rest
  return inner + rest
}

function matchingClose(name: string, open: number): number {
  let depth = 0
  for (let index = open; index < name.length; index++) {
    if (name[index] === '<') depth++
    else if (name[index] === '>' && name[index - 1] !== '-' && --depth === 0) return index
  }
  return -1
}

function scan(name: string): string {
  let out = ''
  let index = 0
  let afterArguments = false
  while (index < name.length) {
    const unit = name[index]!
    // Text after the arguments is a trailer, unless the name continues inside that function.
    if (afterArguments) {
      if (!name.startsWith('::', index)) {
        index++
        continue
      }
      afterArguments = false
    }
    const operator = operatorAt(name, index)
    if (operator !== '') {
      out += operator.replace(/ (?=[*&])/g, '')
      index += operator.length
      // `operator<< <int>` has a space, so that the sign ends there.
      if (name.startsWith(' <', index)) index++
    } else if (unit === '<') {
      const end = skipBrackets(name, index, '<', '>')
      // Only one of the manglings of Rust writes the arguments of a function: `run::<i32>`.
      if (out.endsWith('::'))
        out = name.startsWith('<lambda', index) ? `${out}lambda` : out.slice(0, -2)
      else out += name.startsWith('<lambda', index) ? 'lambda' : '<T>'
      index = end
    } else if (unit === '{') {
      const end = skipBrackets(name, index, '{', '}')
      const inside = name.slice(index, end)
      out += inside.includes('lambda') ? 'lambda' : inside.includes('closure') ? '{closure}' : '{}'
      index = end
    } else if (name.startsWith("'lambda", index)) {
      out += 'lambda'
      const quote = name.indexOf("'", index + 1)
      index = quote === -1 ? name.length : quote + 1
    } else if (anonymousAt(name, index) > 0) {
      index += anonymousAt(name, index)
      if (name.startsWith('::', index)) index += 2
    } else if (unit === '`' && writtenByCompiler.test(name.slice(index, index + 40))) {
      const end = name.indexOf("'", index) + 1
      out += name.slice(index, end)
      index = end
    } else if (unit === '(') {
      index = skipBrackets(name, index, '(', ')')
      afterArguments = true
    } else if (unit === ' ') {
      // The text before was the return type or a calling convention.
      out = ''
      index++
    } else {
      out += unit === '&' || unit === '*' ? '' : unit
      index++
    }
  }
  return out
}

/** Functions of Microsoft's compiler: "`scalar deleting destructor'". */
const writtenByCompiler = /^`(?:scalar|vector|vbase|default|dynamic|eh) [a-z ]{1,30}'/

const anonymousNames = [
  '(anonymous namespace)',
  "`anonymous namespace'",
  "`anonymous-namespace'",
  '_GLOBAL__N_1',
]

function anonymousAt(name: string, index: number): number {
  const unit = name[index]
  if (unit !== '(' && unit !== '`' && unit !== '_') return 0
  return anonymousNames.find((anonymous) => name.startsWith(anonymous, index))?.length ?? 0
}

/** `operator<` and similar names contain characters that are brackets elsewhere. */
function operatorAt(name: string, index: number): string {
  if (name[index] !== 'o' || !name.startsWith('operator', index)) return ''
  if (0 < index && /[A-Za-z0-9_]/.test(name[index - 1]!)) return ''
  const tail = name.slice(index + 8, index + 88)
  const found =
    /^(?:\(\)|\[\]|[-+*/%^&|~!=<>,]{1,3}| (?:new|delete)(?:\[\])?| [A-Za-z_][\w:]{0,60}(?: ?[*&]){0,4}(?=\())/.exec(
      tail,
    )
  return found === null ? '' : `operator${found[0]}`
}

/** Index after the bracket that closes the one at `open`, or the end of the name. */
function skipBrackets(name: string, open: number, opening: string, closing: string): number {
  let depth = 0
  for (let index = open; index < name.length; index++) {
    const unit = name[index]
    if (unit === opening) depth++
    else if (unit === closing && !(closing === '>' && name[index - 1] === '-')) depth--
    if (depth === 0) return index + 1
  }
  return name.length
}
