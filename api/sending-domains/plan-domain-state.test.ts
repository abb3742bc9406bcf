import fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  DnsRecordCheck,
  DnsRecordUse,
  SendingDomainState,
} from '#schemas/rest/email/sending-domain.ts'
import { type DomainStanding, type OtherOwner, planDomainState } from './plan-domain-state.ts'

type State = DnsRecordCheck['state']
const uses = ['proof', 'dkim', 'spf', 'dmarc', 'mx'] as const

/** One character for each record: pass, missing, wrong, unknown. */
function checks(emails: string): DnsRecordCheck[] {
  const states: Record<string, State> = { p: 'pass', m: 'missing', w: 'wrong', u: 'unknown' }
  return uses.map((use: DnsRecordUse, index) => ({
    use,
    state: states[emails[index]!]!,
    hint: null,
    found: [],
  }))
}

const now = new Date('2026-11-21T01:30:00.000Z')
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)

function standing(state: SendingDomainState, parts: Partial<DomainStanding> = {}): DomainStanding {
  return {
    domain: 'sender.test',
    state,
    proofRequired: true,
    isOwned: state !== 'pending',
    unansweredChecks: 0,
    unansweredSince: null,
    ...parts,
  }
}
const proven: OtherOwner = { isProvenNow: true }
const lapsed: OtherOwner = { isProvenNow: false }

// biome-ignore format: the columns are the point
test.each<[why: string, DomainStanding, string, OtherOwner | undefined, want: [SendingDomainState, owned: boolean, takesOver: boolean]]>([
  ['all records',                         standing('pending'),  'ppppp', undefined, ['verified', true, false]],
  ['DMARC and MX are not needed',         standing('pending'),  'pppmm', undefined, ['verified', true, false]],
  ['proof alone: owned, not verified',    standing('pending'),  'pmmmm', undefined, ['pending', true, false]],
  ['all but the proof',                   standing('pending'),  'mpppp', undefined, ['pending', false, false]],
  ['all but the proof, of long ago',      standing('pending', { proofRequired: false }), 'mpppp', undefined, ['verified', true, false]],
  ['a key that is missing',               standing('verified'), 'pmppp', undefined, ['failed', true, false]],
  ['SPF that is wrong',                   standing('verified'), 'ppwpp', undefined, ['failed', true, false]],
  ['a proof that was removed',            standing('verified'), 'mpppp', undefined, ['failed', true, false]],
  ['all right again',                     standing('failed'),   'ppppp', undefined, ['verified', true, false]],
  ['one name server that fails',          standing('verified'), 'pupuu', undefined, ['verified', true, false]],
  ['no name server answers',              standing('verified'), 'uuuuu', undefined, ['verified', true, false]],
  ['nor the second time, days later',     standing('verified', { unansweredChecks: 1, unansweredSince: hoursAgo(100) }), 'uuuuu', undefined, ['verified', true, false]],
  ['nor the third time, an hour later',   standing('verified', { unansweredChecks: 2, unansweredSince: hoursAgo(71) }), 'uuuuu', undefined, ['verified', true, false]],
  ['nor the third time, days later',      standing('verified', { unansweredChecks: 2, unansweredSince: hoursAgo(72) }), 'uuuuu', undefined, ['failed', true, false]],
  ['a failed one stays so without answers', standing('failed'), 'uuuuu', undefined, ['failed', true, false]],
  ['a record that is gone beats silence', standing('verified'), 'pmuuu', undefined, ['failed', true, false]],
  ['both have published their proof',     standing('pending'),  'ppppp', proven, ['pending', false, false]],
  ['the other removed its proof',         standing('pending'),  'ppppp', lapsed, ['verified', true, true]],
  ['neither has a proof now',             standing('pending'),  'mpppp', lapsed, ['pending', false, false]],
  ['a key is no proof against an owner',  standing('pending', { proofRequired: false }), 'mpppp', lapsed, ['pending', false, false]],
  ['silence takes nothing over',          standing('pending'),  'uuuuu', lapsed, ['pending', false, false]],
])('%s', (_why, before, emails, other, want) => {
  const plan = planDomainState(now, before, checks(emails), other)
  expect([plan.state, plan.isOwned, plan.takesOver]).toEqual(want)
  expect(plan.reason === null).toBe(plan.state === 'verified')
})

test('for all records, verified means owned and proven, and that no other organization has it', () => {
  const email = fc.constantFrom('p', 'm', 'w', 'u')
  const before = fc.record({
    state: fc.constantFrom<SendingDomainState>('pending', 'verified', 'failed'),
    proofRequired: fc.boolean(),
    isOwned: fc.boolean(),
    unansweredChecks: fc.nat(5),
    since: fc.option(fc.nat(200)),
  })
  const other = fc.constantFrom(undefined, proven, lapsed)
  fc.assert(
    fc.property(before, fc.array(email, { minLength: 5, maxLength: 5 }), other, (was, l, who) => {
      const { since, ...rest } = was
      const unansweredSince = since === null ? null : hoursAgo(since)
      const was2 = { domain: 'sender.test', ...rest, unansweredSince }
      const plan = planDomainState(now, was2, checks(l.join('')), who)
      if (plan.state === 'verified') {
        expect(who === undefined || plan.takesOver).toBe(true)
        if (was.state !== 'verified') {
          expect(plan.isOwned).toBe(true)
          expect([l[1], l[2]]).toEqual(['p', 'p'])
          if (was.proofRequired) expect(l[0]).toBe('p')
        }
        expect(l.slice(1, 3).some((state) => state === 'm' || state === 'w')).toBe(false)
      }
      if (plan.takesOver) expect(l[0]).toBe('p')
      expect(plan.nextCheckMs).toBeGreaterThan(0)
    }),
    { seed: 20_261_122, numRuns: 2_000 },
  )
})
