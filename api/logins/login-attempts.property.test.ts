/**
 * Runs the function in Postgres: guesses from other networks do not lock out an owner, and guessing
 * gets slow.
 */
import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { countAttempt, forgiveAttempt, type LoginClient } from './login-attempts.ts'
import { rememberLoginNetwork } from './login-network-store.ts'

const api = apiOfThisFile()
const runs = { numRuns: 25, seed: 23 }
const from = (network: string): LoginClient => ({ key: network, network })

const attackerStep = fc.record({
  /** Few networks, so that some get delayed. */
  network: fc.integer({ min: 0, max: 40 }).map((number) => `198.51.100.${number}`),
  /** The owner's account mostly, others as well. */
  account: fc.constantFrom('owner', 'owner', 'owner', 'a', 'b', 'c', 'd', 'e', 'f'),
  waitMs: fc.constantFrom(0, 0, 0, 1_000, 60_000, 600_000),
})

async function newOwner(): Promise<{ id: string; email: string }> {
  const id = uuidv7()
  const email = `${id}@owners.test`
  await api().pool.query('insert into people (id, email) values ($1, $2)', [id, email])
  return { id, email }
}

test('guesses of others do not delay the owner on a network where they logged in before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attackerStep, { maxLength: 60 }), async (steps) => {
      const { id: personId, email } = await newOwner()
      const home = '192.0.2.10'
      const now = new Date(api().time.nowMs)
      await rememberLoginNetwork(api().ctx.pg, { personId, network: home, now })
      for (const { network, account, waitMs } of steps) {
        const guessed = account === 'owner' ? email : `${account}-${email}`
        await countAttempt({ email: guessed, client: from(network) }, api().ctx)
        // The attacker may sit in the same office, too.
        if (account !== 'owner') {
          await countAttempt({ email: guessed, client: from(home) }, api().ctx)
        }
        api().time.nowMs += waitMs
      }
      const attempt = await countAttempt({ email, client: from(home) }, api().ctx)
      expect(attempt.kind).toBe('counted')
      if (attempt.kind === 'counted') await forgiveAttempt(api().ctx.pg, attempt)
    }),
    runs,
  )
})

test('no delay is longer than fifteen minutes, and after it one attempt is free', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attackerStep, { minLength: 30, maxLength: 60 }), async (steps) => {
      const { email } = await newOwner()
      for (const { network, account } of steps) {
        const guessed = account === 'owner' ? email : `${account}-${email}`
        const who = { email: guessed, client: from(network) }
        const attempt = await countAttempt(who, api().ctx)
        if (attempt.kind === 'counted') continue
        expect(attempt.retryAfterSeconds).toBeGreaterThanOrEqual(1)
        expect(attempt.retryAfterSeconds).toBeLessThanOrEqual(900)
        api().time.nowMs += attempt.retryAfterSeconds * 1_000
        expect((await countAttempt(who, api().ctx)).kind).toBe('counted')
      }
    }),
    runs,
  )
})

test('an account allows a few hundred guesses per day from a thousand networks', async () => {
  const { email } = await newOwner()
  let counted = 0
  for (let second = 0; second < 86_400; second += 60) {
    const network = `2001:db8:${(second / 60) % 1_000}::/64`
    const attempt = await countAttempt({ email, client: from(network) }, api().ctx)
    if (attempt.kind === 'counted') counted += 1
    api().time.nowMs += 60_000
  }
  expect(counted).toBeLessThan(350)
})

test('the number of attempts in a bucket is bounded', async () => {
  const { email } = await newOwner()
  for (let attempt = 0; attempt < 120; attempt++) {
    await countAttempt({ email, client: from('203.0.113.99') }, api().ctx)
    api().time.nowMs += 900_000
  }
  const { rows } = await api().pool.query(
    `select max(cardinality(hits)) as most from rate_windows where bucket like '%' || $1`,
    [email],
  )
  expect(rows[0].most).toBeLessThanOrEqual(64)
  expect(rows[0].most).toBeGreaterThan(32)
})
