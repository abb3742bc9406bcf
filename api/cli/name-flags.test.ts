import { expect, test } from 'vitest'
import { CodedError } from '#schemas/error-codes.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { nameFlags } from './name-flags.ts'
import { UsageError } from './usage-error.ts'

const flags = { scheduledAt: '--at', from_address: '--from' }
const sentence = 'Emails cannot be sent from b.test.'
const fromError = new CodedError('validation_failed', {
  message: `from_address: ${sentence}`,
  details: [{ field: 'from_address', rule: 'must be of a verified domain' }],
})

// biome-ignore format: the columns are the point
test.each([
  ['a rule that an action checks      ', invalidField('scheduledAt', 'must be in the future'), '--at is not valid: must be in the future.'],
  ['a sentence about a field          ', fromError, `--from: ${sentence}`],
] as const)('%s names the flag', async (_why, thrown, message) => {
  await expect(nameFlags(flags, () => Promise.reject(thrown))).rejects.toEqual(
    new UsageError(message),
  )
})

// biome-ignore format: the columns are the point
test.each([
  ['a field without a flag            ', invalidField('subject', 'must not be blank')],
  ['a field of every object           ', invalidField('constructor', 'is unknown')],
  ['an error without details          ', new CodedError('not_found')],
  ['an error of another kind          ', new TypeError('no')],
] as const)('%s is thrown on', async (_why, thrown) => {
  await expect(nameFlags(flags, () => Promise.reject(thrown))).rejects.toBe(thrown)
})
