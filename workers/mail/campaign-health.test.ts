import { expect, test } from 'vitest'
import { CampaignHealth } from './campaign-health.ts'
import { DomainHolds } from './domain-holds.ts'
import { warmUpTotal } from './warm-up.ts'

test('a campaign is paused when more than a tenth of its first 200 mailboxes do not exist', () => {
  const health = new CampaignHealth()
  for (let bad = 0; bad < 20; bad += 1) expect(health.add('hard')).toBeUndefined()
  expect(health.add('hard')).toMatch(/first 200/)
})

test('later, any 1,000 consecutive emails are counted', () => {
  const health = new CampaignHealth()
  for (let good = 0; good < 5_000; good += 1) health.add('sent')
  for (let bad = 0; bad < 100; bad += 1) expect(health.add('hard')).toBeUndefined()
  for (let good = 0; good < 900; good += 1) expect(health.add('sent')).toBeUndefined()
  for (let bad = 0; bad < 100; bad += 1) expect(health.add('hard')).toBeUndefined()
  expect(health.add('hard')).toMatch(/last 1000/)
})

test('consecutive refusals of the sender pause the campaign', () => {
  const health = new CampaignHealth()
  for (let count = 0; count < 19; count += 1) expect(health.add('ours')).toBeUndefined()
  expect(health.add('sent')).toBeUndefined()
  for (let count = 0; count < 19; count += 1) expect(health.add('ours')).toBeUndefined()
  expect(health.add('ours')).toMatch(/because of the sender/)
})

test('a domain that defers three emails in a row is held with growing delays until it accepts one', () => {
  let nowMs = 0
  const holds = new DomainHolds({ nowMs: () => nowMs, monotonicMs: () => nowMs }, [60, 300])
  const deferThree = () => {
    for (let count = 0; count < 3; count += 1) holds.deferred('slow.test')
  }
  holds.deferred('slow.test')
  holds.deferred('slow.test')
  expect(holds.heldSeconds('slow.test')).toBe(0)
  holds.deferred('slow.test')
  expect(holds.heldSeconds('slow.test')).toBe(60)
  expect(holds.heldSeconds('other.test')).toBe(0)
  nowMs = 60_000
  expect(holds.heldSeconds('slow.test')).toBe(0)
  deferThree()
  expect(holds.heldSeconds('slow.test')).toBe(300)
  holds.taken('slow.test')
  expect(holds.heldSeconds('slow.test')).toBe(0)
})

test('a new sender grows: 200 on the first day, twice as many on the next', () => {
  const dayMs = 86_400_000
  expect([0, dayMs - 1, dayMs, 2 * dayMs].map(warmUpTotal)).toEqual([200, 200, 600, 1_400])
  expect(warmUpTotal(-5)).toBe(200)
})
