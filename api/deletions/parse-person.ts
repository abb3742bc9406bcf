import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { PersonBody } from '#schemas/rest/deletion.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'

/**
 * The person in the form in which stored values are compared. Throws a CodedError that names the
 * field which is empty or invalid: an empty value would match everything.
 */
export function parsePerson({ email, user_id: userId, address }: PersonBody): PersonSubject {
  if (email === undefined && userId === undefined && address === undefined) {
    throw invalid('email', 'must be given, or `user_id`, or `address`')
  }
  return {
    ...(email === undefined ? {} : { email: keyOf(email) }),
    ...(userId === undefined ? {} : { user_id: idOf(userId) }),
    ...(address === undefined ? {} : { address: shortAddress(address) }),
  }
}

function keyOf(email: string): string {
  const parsed = parseEmailAddress(email)
  if (parsed.kind === 'invalid') throw invalid('email', parsed.rule)
  return parsed.key
}

function idOf(userId: string): string {
  if (userId.trim() === '') throw invalid('user_id', 'must not be empty')
  // Stored text holds neither.
  if (userId.includes('\0') || !userId.isWellFormed()) {
    throw invalid('user_id', 'must be valid Unicode without NUL')
  }
  return userId
}

function shortAddress(text: string): string {
  const address = text.trim()
  if (isIP(address) === 0 || address.includes('%')) {
    throw invalid('address', 'must be an IPv4 or IPv6 address')
  }
  const parsed = ipaddr.process(address)
  // `0.0.0.0` belongs to nobody, and `::` is an operator in many languages.
  if (parsed.range() === 'unspecified') throw invalid('address', 'must not be unspecified')
  return parsed.toString()
}

function invalid(field: string, rule: string): CodedError {
  return new CodedError('validation_failed', {
    message: `\`${field}\`: ${rule}.`,
    details: [{ field, rule }],
  })
}
