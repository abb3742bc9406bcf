/**
 * The type of an exception with its namespace. Some clients send both in one text, others the
 * namespace as `module`. Part of g1: a change of any hash must be meant.
 */
import type { EventException } from '../normalize/event.ts'
import { type PlatformFamily, platformFamily } from './frames/platform-family.ts'
import { cutText } from './text/cut-text.ts'

const typeUnitsMax = 256

export function qualifiedType({ type, module }: EventException, platform: string): string {
  if (type === '') return ''
  const family = platformFamily(platform)
  // Firefox alone has a type of its own for too much recursion.
  if (family === 'javascript' && type === 'InternalError') return 'RangeError'
  const prefix = module === '' ? '' : namespaceOf(family, module)
  const name =
    prefix === '' || type.startsWith(`${prefix}.`) || hasNamespace(type)
      ? type
      : `${prefix}.${type}`
  return cutText(family === 'python' ? cutBuiltins(name) : name, typeUnitsMax)
}

const builtins = new Set(['builtins', '__builtin__', 'exceptions'])

/** Empty for what is no namespace: an assembly with its version, a file. */
function namespaceOf(family: PlatformFamily, module: string): string {
  if (family === 'csharp' || family === 'native') return ''
  if (family === 'python' && builtins.has(module)) return ''
  return /^[\w$.:\\-]{1,256}$/.test(module) ? module : ''
}

function hasNamespace(type: string): boolean {
  return type.includes('.') || type.includes('::') || type.includes('\\')
}

function cutBuiltins(name: string): string {
  const dot = name.indexOf('.')
  return dot !== -1 && builtins.has(name.slice(0, dot)) ? name.slice(dot + 1) : name
}
