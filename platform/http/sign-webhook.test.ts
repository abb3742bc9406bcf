import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { createWebhookSecret, isWebhookSecret, signWebhook } from './sign-webhook.ts'

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
const id = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
/** The library compares the timestamp with the clock of the machine. */
const atMs = Date.now()

describe('the library of Standard Webhooks', () => {
  test('accepts every body and secret', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 24, max: 64 }), (body, bytes) => {
        const secret = secretOf(bytes)
        const headers = signWebhook({ id, atMs, body, secrets: [secret] })
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      }),
      { seed: 11, numRuns: 50 },
    )
  })

  test('accepts both secrets during a rotation, and no third one', () => {
    const [before, after, other] = [createWebhookSecret(), createWebhookSecret(), secretOf(32)]
    const headers = signWebhook({ id, atMs, body: '{}', secrets: [after, before] })
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
    expect(new Webhook(before).verify('{}', headers)).toEqual({})
    expect(new Webhook(after).verify('{}', headers)).toEqual({})
    expect(() => new Webhook(other).verify('{}', headers)).toThrow()
  })

  test.each([
    ['body', (headers: Record<string, string>) => headers, '{ }'],
    ['id', (headers: Record<string, string>) => ({ ...headers, 'webhook-id': `${id}0` }), '{}'],
    [
      'time',
      (headers: Record<string, string>) => ({
        ...headers,
        'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1),
      }),
      '{}',
    ],
  ])('refuses another %s', (_what, change, body) => {
    const secret = secretOf(32)
    const headers = change(signWebhook({ id, atMs, body: '{}', secrets: [secret] }))
    expect(() => new Webhook(secret).verify(body, headers)).toThrow()
  })
})

test('the signature is that of the specification', () => {
  const headers = signWebhook({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    atMs: 1_614_265_330_999,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  })
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('a new secret is valid and never the same', () => {
  expect(isWebhookSecret(createWebhookSecret())).toBe(true)
  expect(createWebhookSecret()).not.toBe(createWebhookSecret())
})

test.each([
  ['too short', secretOf(23), false],
  ['the shortest', secretOf(24), true],
  ['the longest', secretOf(64), true],
  ['too long', secretOf(65), false],
  ['without its prefix', secretOf(32).slice(6), false],
  ['not base64', `whsec_${'!'.repeat(44)}`, false],
  ['empty', '', false],
])('a secret that is %s: %s', (_what, secret, isValid) => {
  expect(isWebhookSecret(secret)).toBe(isValid)
  const sign = () => signWebhook({ id, atMs, body: '', secrets: [secret] })
  if (isValid) expect(sign()).toBeDefined()
  else expect(sign).toThrow(/invalid/)
})
