/**
 * Removes generated parts (proxies, accessors, state machines) from module and class names. Part of
 * g1: frozen once shipped, a change is g2.
 */

import { cutText } from '../text/cut-text.ts'
import { cutContentHash } from './clean-file.ts'
import type { PlatformFamily } from './platform-family.ts'

const moduleUnitsMax = 1024
const generated = '<generated>'

export function cleanModule(family: PlatformFamily, raw: string): string {
  if (raw === '') return ''
  const name = raw.length > moduleUnitsMax ? cutText(raw, moduleUnitsMax) : raw
  switch (family) {
    case 'jvm':
      return cleanClass(name)
    case 'csharp':
      return name.includes('<') ? cleanNestedType(name) : name
    case 'javascript':
      return /[0-9]/.test(name) ? cutModuleHash(name) : name
    case 'php': {
      const anonymous = name.indexOf('@anonymous')
      return anonymous === -1 ? name : name.slice(0, anonymous + '@anonymous'.length)
    }
    case 'python':
    case 'ruby':
    case 'native':
    case 'go':
    case 'other':
      return name
  }
}

/** A class that the JVM generated for a lambda; its whole name is generated. */
export function isLambdaClass(name: string): boolean {
  return name.includes('$$Lambda')
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
  return name
    .replace(
      /(?:_\$\$_(?:javassist|jvst)|\$\$(?:EnhancerBy|FastClassBy|SpringCGLIB)|\$HibernateProxy\$|\$ByteBuddy\$|\$MockitoMock\$).*$/,
      `$$${generated}`,
    )
    .replace(/\$Proxy\d+/, '$$Proxy')
    .replace(/(\$(?:fn|eval|reify|iter))__\d+/g, '$1')
}

/** `Shop.Cart+<AddItem>d__12` becomes `Shop.Cart`; `methodOfStateMachine` restores the method. */
function cleanNestedType(name: string): string {
  return name
    .replace(/[+.]<[^<>]{0,512}>[a-z]__?[\w|]{0,255}$/, '')
    .replace(/[+.]<>c(?:__DisplayClass[\d_]{1,32})?/, '')
}

/**
 * The method whose body a C# compiler moved into a nested type, when the frame itself only says
 * `MoveNext`.
 */
export function methodOfStateMachine(module: string): string {
  const method = /[+.]<([^<>]{1,512})>d__\d+$/.exec(module)
  return method === null ? '' : method[1]!
}

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
