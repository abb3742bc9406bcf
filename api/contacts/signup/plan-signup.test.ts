import { expect, test } from 'vitest'
import { mergeAttribs, planSignup } from './plan-signup.ts'

const confirms = true
const direct = false

// biome-ignore format: the columns are the point
test.each([
  // name, before, newsletter, resubscribe, suppression, after, status once lifted, email, event
  ['new, confirms', undefined, confirms, false, null, 'pending', null, 'confirmation', 'created'],
  ['new, confirms, resubscribe changes nothing', undefined, confirms, true, null, 'pending', null, 'confirmation', 'created'],
  ['new, does not confirm', undefined, direct, false, null, 'subscribed', null, 'welcome', 'created'],
  ['new on a hard bounce', undefined, confirms, false, 'hard', 'bounced', 'pending', 'none', 'created'],
  ['new on a run of soft bounces', undefined, direct, false, 'soft_run', 'bounced', 'subscribed', 'none', 'created'],
  ['new on a complaint', undefined, direct, true, 'complaint', 'complained', 'subscribed', 'none', 'created'],
  ['new on one suppressed by hand', undefined, direct, false, 'manual', 'bounced', 'subscribed', 'none', 'created'],
  ['pending', 'pending', confirms, false, null, 'pending', null, 'confirmation', 'signed_up_again'],
  ['pending, resubscribe', 'pending', confirms, true, null, 'pending', null, 'confirmation', 'signed_up_again'],
  ['pending, the newsletter no longer confirms', 'pending', direct, false, null, 'pending', null, 'confirmation', 'signed_up_again'],
  ['subscribed', 'subscribed', confirms, false, null, 'subscribed', null, 'none', 'signed_up_again'],
  ['subscribed, resubscribe', 'subscribed', direct, true, null, 'subscribed', null, 'none', 'signed_up_again'],
  ['unsubscribed', 'unsubscribed', confirms, false, null, 'unsubscribed', null, 'none', 'signed_up_again'],
  ['unsubscribed, resubscribe, confirms', 'unsubscribed', confirms, true, null, 'pending', null, 'confirmation', 'resubscribed'],
  ['unsubscribed, resubscribe, does not confirm', 'unsubscribed', direct, true, null, 'subscribed', null, 'welcome', 'resubscribed'],
  ['unsubscribed and suppressed, resubscribe', 'unsubscribed', direct, true, 'hard', 'unsubscribed', null, 'none', 'signed_up_again'],
  ['bounced', 'bounced', confirms, false, 'hard', 'bounced', null, 'none', 'signed_up_again'],
  ['bounced, resubscribe', 'bounced', confirms, true, 'hard', 'bounced', null, 'none', 'signed_up_again'],
  ['complained, resubscribe', 'complained', direct, true, 'complaint', 'complained', null, 'none', 'signed_up_again'],
  ['bounced without a suppression, resubscribe', 'bounced', direct, true, null, 'bounced', null, 'none', 'signed_up_again'],
] as const)('%s', (_name, before, newsletterConfirms, resubscribe, suppression, status, statusBefore, email, event) => {
  const plan = planSignup({ before, confirms: newsletterConfirms, resubscribe, suppression })
  expect(plan).toEqual({ status, statusBefore, email, event })
})

const many = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]))

test('a given attribute replaces the stored one, a missing one stays, null removes it', () => {
  const merged = mergeAttribs({ a: 1, b: 'x', c: true }, { b: 'y', c: null, d: false, e: null })
  expect(merged).toEqual({ a: 1, b: 'y', d: false })
})

// biome-ignore format: the columns are the point
test.each([
  ['fifty of a new contact', {}, many(50), 50],
  ['fifty on fifty of the same names', many(50), many(50), 50],
  ['one removed, one added', many(50), { k0: null, other: 1 }, 50],
  ['fifty-one given', {}, many(51), undefined],
  ['fifty-one given, though some only remove', {}, { ...many(50), x: null }, undefined],
  ['one more than fifty in all', many(50), { other: 1 }, undefined],
] as const)('%s', (_name, before, given, count) => {
  const merged = () => mergeAttribs(before, given)
  if (count === undefined) expect(merged).toThrow(expect.objectContaining({ code: 'too_many_attribs' }))
  else expect(Object.keys(merged())).toHaveLength(count)
})
