import { cleanText } from './clean-text.ts'

/** Names that reach a prototype when code merges objects by assignment. No client needs them. */
export function isPrototypeKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

/**
 * Cleans every text of a parsed JSON value in place and removes keys that name a prototype.
 * Recursive: the caller has bounded the depth.
 */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = cleanJson(value[index])
    return value
  }
  cleanObject(value as Record<string, unknown>)
  return value
}

function cleanObject(object: Record<string, unknown>): void {
  for (const key of Object.keys(object)) {
    const cleanKey = cleanText(key)
    const inner = object[key]
    // The name may be one of a prototype only after its NULs are gone, so this looks at the clean
    // one.
    if (isPrototypeKey(cleanKey)) {
      delete object[key]
      continue
    }
    if (cleanKey !== key) delete object[key]
    object[cleanKey] = cleanJson(inner)
  }
}
