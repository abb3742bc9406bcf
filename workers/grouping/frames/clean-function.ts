/**
 * Removes from function names what compilers, proxies and bundlers add. An empty result means that
 * the frame has no usable name. Part of g1: frozen once shipped, a change is g2.
 */

import { cutText } from '../text/cut-text.ts'
import { cleanNativeFunction } from './clean-native-function.ts'
import type { PlatformFamily } from './platform-family.ts'

const functionUnitsMax = 1024

export function cleanFunction(family: PlatformFamily, raw: string): string {
  if (raw === '') return ''
  const name = raw.length > functionUnitsMax ? cutText(raw, functionUnitsMax) : raw
  switch (family) {
    case 'javascript':
      return cleanJavaScript(name)
    case 'jvm':
      return cleanJvm(name)
    case 'php':
      return cleanPhp(name)
    case 'ruby':
      return cleanRuby(name)
    case 'csharp':
      return cleanCsharp(name)
    case 'native':
      return cleanNativeFunction(name)
    case 'python':
    case 'go':
    case 'other':
      return name === '?' || name === '<anonymous>' || name === '<unknown>' ? '' : name
  }
}

const anonymousJavaScript = new Set([
  '?',
  '<anonymous>',
  '<anonymous function>',
  'Anonymous function',
  'anonymous',
  '',
])

function cleanJavaScript(raw: string): string {
  let name = raw
  if (name.endsWith('/<') || anonymousJavaScript.has(name)) return ''
  // V8 writes `Type.method [as alias]`, `async method` and `new Type`.
  const alias = name.indexOf(' [as ')
  if (alias !== -1) name = name.slice(0, alias)
  name = name.slice(name.lastIndexOf('.') + 1)
  if (name.startsWith('async ')) name = name.slice(6)
  if (name.startsWith('new ')) name = name.slice(4)
  return anonymousJavaScript.has(name) ? '' : name
}

function cleanJvm(name: string): string {
  if (name.startsWith('lambda$')) return ''
  const dollar = name.indexOf('$')
  if (dollar === -1) return name
  // Kotlin names the lambda after the function it is in.
  const lambda = name.indexOf('$lambda')
  if (lambda > 0) return name.slice(0, lambda)
  return name.replace(/__\d+$/, '')
}

function cleanPhp(raw: string): string {
  let name = raw
  const anonymous = name.indexOf('@anonymous')
  if (anonymous !== -1) {
    const end = anonymous + '@anonymous'.length
    const method = name.slice(end).search(/::|->/)
    name = name.slice(0, end) + (method === -1 ? '' : name.slice(end + method))
  }
  const closure = name.indexOf('{closure:')
  if (closure !== -1) {
    const end = name.indexOf('}', closure)
    name = `${name.slice(0, closure)}{closure}${end === -1 ? '' : name.slice(end + 1)}`
  }
  return name
}

function cleanRuby(name: string): string {
  if (name.startsWith('block in ') || /^block \(\d{1,9} levels\) in /.test(name)) return 'block'
  if (name.includes('__')) return name.replace(/_{2,4}-?\d{1,24}_\d{1,24}$/, '')
  return name
}

function cleanCsharp(name: string): string {
  const open = name.indexOf('<')
  if (open === -1) return name
  const generated = /^([^<]{0,512})<([^<>]{1,512})>(d|b|g)__(?:([A-Za-z_]\w{0,255})\|)?/.exec(name)
  if (generated === null) return name
  const [, before = '', method = '', kind, local] = generated
  // An async state machine has the name of its method, a lambda that of its enclosing method, and a
  // local function its own.
  if (kind === 'd') return before + method
  return kind === 'g' && local !== undefined ? before + local : `${before}${method}.lambda`
}
