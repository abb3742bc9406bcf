/**
 * Removes generated parts (proxies, accessors, state machines) from module and class names. Part of
 * g1: a change of any hash must be meant.
 */

import { cutText } from '../text/cut-text.ts'
import { cutContentHash } from './clean-file.ts'
import type { PlatformFamily } from './platform-family.ts'
import { remember } from './remember.ts'

// cspell:ignore anonfun

const moduleUnitsMax = 1024
const generated = '<generated>'

export function cleanModule(family: PlatformFamily, raw: string): string {
  if (raw === '') return ''
  const name = raw.length > moduleUnitsMax ? cutText(raw, moduleUnitsMax) : raw
  switch (family) {
    case 'jvm':
      return cleanClass(name)
    case 'csharp':
      return cleanType(name)
    case 'javascript':
      return cleanScriptModule(name)
    case 'go':
      // The major version is part of the path: `shop.example/cart/v2`.
      return name.includes('/v') ? name.replace(/\/v\d{1,3}(?=\/|$)/g, '') : name
    case 'php': {
      const anonymous = name.indexOf('@anonymous')
      return anonymous === -1 ? name : name.slice(0, anonymous + '@anonymous'.length)
    }
    case 'python':
    case 'ruby':
    case 'native':
    case 'other':
      return name
  }
}

/** A class that was generated for a lambda; its whole name is generated. */
export function isLambdaClass(name: string): boolean {
  return (
    name.includes('$$Lambda') ||
    name.includes('$$ExternalSynthetic') ||
    name.includes('$$InternalSynthetic')
  )
}

/**
 * Where a lambda of Kotlin was written. Its compiler made each lambda a class (`app.Cart$pay$1`,
 * function `invoke`), and since version 2 a method (`app.Cart`, `pay$lambda$0`).
 */
export function kotlinLambda(
  module: string,
  action: string,
): { readonly owner: string; readonly method: string } | undefined {
  if (action !== 'invoke' && action !== 'invokeSuspend') return undefined
  const [, owner, method] = kotlinLambdaClass.exec(module) ?? []
  return owner === undefined || method === undefined ? undefined : { owner, method }
}

const kotlinLambdaClass = /^([^$].{0,512}?)\$([A-Za-z_]\w{0,200})(?:\$\d{1,9}){1,9}$/

/** `react-dom@17.0.2/umd` is `react-dom/umd`. */
function cutVersions(name: string): string {
  return name.includes('@') ? name.replace(/(?<=[\w-])@\d[\w.+-]{0,40}(?=\/|$)/g, '') : name
}

function cleanClass(name: string): string {
  if (name.includes('Accessor')) {
    return name.replace(
      /(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+/,
      '$1',
    )
  }
  if (!name.includes('$')) return name
  // Everything after the first generated part changes with every start of the program.
  return (
    name
      .replace(
        /(?:_\$\$_(?:javassist|jvst)|\$\$(?:EnhancerBy|FastClassBy|SpringCGLIB)|\$HibernateProxy\$|\$ByteBuddy\$|\$MockitoMock\$).*$/,
        `$$${generated}`,
      )
      .replace(/\$Proxy\d+/, '$$Proxy')
      // Clojure numbers the class of a function each time when it is loaded.
      .replace(/(\$[^$]{1,200}?)__\d{1,9}(?=\$|$)/g, '$1')
      // Scala 2.11 names the class of a lambda after the function; later versions the function.
      .replace(/\$\$anonfun\$.*$/, '')
      .replace(/(?<=\$_\w{1,200}_closure)\d+/g, '')
      // Anonymous classes are numbered, and an object of Scala or Kotlin is a class of its own.
      .replace(/\$\d+(?=\$|$)/g, '$')
      .replace(/(?<=[^$])\${1,9}$/, '')
  )
}

/** The number of type parameters (`Cart`1`) stays; their values do not. */
function cleanType(name: string): string {
  const open = name.indexOf('[')
  const plain = open > 0 ? name.slice(0, open) : name
  if (plain.includes('<')) return cleanNestedType(plain)
  // F# names the class of a closure after its function and line: `Cart+add@31-1`.
  return plain.includes('@') ? plain.replace(/@\d{1,6}(?:-\d{1,4})?(?=$|[+.])/g, '') : plain
}

/** `Shop.Cart+<AddItem>d__12` becomes `Shop.Cart`; `methodOfStateMachine` restores the method. */
function cleanNestedType(name: string): string {
  return name
    .replace(/[+.]<<[^<>]{0,512}>[a-z]__?[\w|]{0,255}>d$/, '')
    .replace(/[+.]<[^<>]{0,512}>[a-z]__?[\w|]{0,255}$/, '')
    .replace(/[+.]<>c(?:__DisplayClass[\d_]{1,32})?/, '')
}

/**
 * The method whose body a C# compiler moved into a nested type, when the frame itself only says
 * `MoveNext`.
 */
export function methodOfStateMachine(module: string): string {
  const lambda = /[+.]<<([^<>]{1,512})>b__\w{1,64}>d$/.exec(module)
  if (lambda !== null) return `${lambda[1]!}.lambda`
  const method = /[+.]<([^<>]{1,512})>d__\d+$/.exec(module)
  return method === null ? '' : method[1]!
}

const cleanScriptModule = remember((name) =>
  /[0-9]/.test(name) ? cutModuleHash(cutVersions(name)) : name,
)

function cutModuleHash(name: string): string {
  return name
    .split('/')
    .map((segment) =>
      /[.-]/.test(segment)
        ? cutContentHash(segment.toLowerCase()) === segment.toLowerCase()
          ? segment
          : cutContentHash(segment.toLowerCase())
        : segment,
    )
    .join('/')
}
