import { cleanText } from './clean-text.ts'

/**
 * Returns whether code that merges objects by assignment would change a prototype with this key. No
 * client needs such names.
 */
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
    // A key may become the name of a prototype when its NULs are removed, so the cleaned key is
    // checked.
    if (isPrototypeKey(cleanKey)) {
      delete object[key]
      continue
    }
    if (cleanKey !== key) delete object[key]
    object[cleanKey] = cleanJson(inner)
  }
}
