import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeSecret, secretPattern } from './secret.ts'

test.each(['oat_', 'emk_'] as const)(
  '%s and 43 URL-safe characters, of which six are shown',
  (kind) => {
    const secret = makeSecret(kind)
    expect(secret.value).toMatch(new RegExp(`^${kind}[A-Za-z0-9_-]{43}$`))
    expect(secret.value).toMatch(secretPattern)
    expect(secret.prefix).toBe(secret.value.slice(0, 10))
    expect(secret.hash).toEqual(createHash('sha256').update(secret.value).digest())
    expect(makeSecret(kind).value).not.toBe(secret.value)
  },
)
