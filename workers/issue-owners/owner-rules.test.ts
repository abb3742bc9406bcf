import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MatchBudget } from '#platform/ownership/match-budget.ts'
import type { EventId, ProjectId } from '#schemas/ids.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { normalizeEvent } from '../normalize/normalize-event.ts'
import { IssueRulesByProject } from './issue-rules.ts'
import { OwnerRules } from './owner-rules.ts'

function eventOf(payload: object): NormalizedEvent {
  const normalized = normalizeEvent({
    payload: Buffer.from(JSON.stringify(payload)),
    eventId: 'a'.repeat(32) as EventId,
    receivedAtMs: 1_000,
    scrub: () => undefined,
  } as Parameters<typeof normalizeEvent>[0])
  if (normalized.kind !== 'event') throw new Error(normalized.kind)
  return normalized.event
}

const event = eventOf({
  platform: 'python',
  release: 'app@1.0.0',
  environment: 'production',
  tags: { component: 'worker', area: 'Cart' },
  request: { url: 'https://shop.test/cart/pay' },
  exception: {
    values: [
      {
        type: 'Boom',
        module: 'billing.errors',
        stacktrace: {
          frames: [
            { filename: 'site-packages/flask/app.py', module: 'flask.app', in_app: false },
            {
              filename: 'src/api/views.py',
              abs_path: '/srv/src/api/views.py',
              module: 'api.views',
              in_app: true,
            },
            { filename: 'src/billing/pay.py', module: 'billing.pay', in_app: true },
          ],
        },
      },
    ],
  },
})

// biome-ignore format: the columns are the point
test.each([
  ['a path                        ', 'src/billing/ #billing', ['#billing']],
  ['several owners in order       ', 'src/api/** #none a@b.test #web', ['#none', 'a@b.test', '#web']],
  ['the last rule that matches    ', '* #all\nsrc/api #api\ndocs/ #docs', ['#api']],
  ['nobody by a later rule        ', '* #all\nsrc/api', []],
  ['frames of libraries do not    ', 'flask/ #flask', []],
  ['a module of a frame           ', 'module:billing.* #billing', ['#billing']],
  ['a module of the exception     ', 'module:*.errors #billing', ['#billing']],
  ['an address                    ', 'url:https://shop.test/cart/* #cart', ['#cart']],
  ['a tag                         ', 'tags.area:cart #cart', ['#cart']],
  ['a tag of another value        ', 'tags.area:car #cart', []],
  ['a tag that the event names    ', 'tags.environment:prod* #ops', ['#ops']],
  ['a tag that is no tag          ', 'tags.constructor:* #x\ntags.__proto__:* #x', []],
  ['no rules                      ', '', []],
])('%s', (_name, text, owners) => {
  expect(new OwnerRules(text).ownersOf(event, new MatchBudget())).toEqual(owners)
})

test('all frames count when the client marks none as its own', () => {
  const bare = eventOf({
    exception: { values: [{ type: 'E', stacktrace: { frames: [{ filename: 'lib/x.rb' }] } }] },
  })
  expect(new OwnerRules('lib/ #lib').ownersOf(bare, new MatchBudget())).toEqual(['#lib'])
})

test('nobody owns an event for which no work is left', () => {
  expect(
    new OwnerRules('* #all').ownersOf(
      event,
      new MatchBudget({ spend: () => undefined, isSpent: true }),
    ),
  ).toEqual([])
})

test('rules and events of one project do not use up the work of another', () => {
  const [hostile, other] = [7 as ProjectId, 8 as ProjectId]
  const lines = Array.from({ length: 1_000 }, (_, no) => `p${no}/**/x*y*?????? #none`)
  const rules = new IssueRulesByProject([
    { projectId: hostile, ownership: lines.join('\n'), countsUsers: false },
    { projectId: other, ownership: '* #all', countsUsers: false },
  ])
  const frames = Array.from({ length: 60 }, (_, no) => ({
    filename: `${'a/b/c/'.repeat(12)}${no}.ts`,
    in_app: true,
  }))
  const deep = eventOf({ exception: { values: [{ type: 'E', stacktrace: { frames } }] } })
  const whole = rules.contextOf(hostile, deep, 0)
  expect(whole.owners?.()).toEqual([])
  for (let sum = 0; sum < 5_000; sum += 1) rules.contextOf(hostile, deep, 0).owners?.()
  expect(rules.contextOf(other, event, 0).owners?.()).toEqual(['#all'])
})

test('no rules make a digest throw', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('\n', ' #x', '* ', '**/', '?', '\\', 'tags.area:', 'module:', 'url:', 'src/'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      new OwnerRules(pieces.join('')).ownersOf(event, new MatchBudget())
    }),
    { numRuns: 500 },
  )
})

test('users are counted and owners found only in projects that have rules for it', () => {
  const [projectId, other] = [7 as ProjectId, 8 as ProjectId]
  const withUser = eventOf({ user: { id: 'u1', email: 'u@x.test' } })
  const rules = new IssueRulesByProject([{ projectId, ownership: '', countsUsers: true }])
  const { user } = rules.contextOf(projectId, withUser, 0)
  expect(user).toBeTypeOf('number')
  expect(rules.contextOf(projectId, eventOf({ user: { id: 'u1' } }), 0).user).toBe(user)
  expect(rules.contextOf(projectId, eventOf({}), 0).user).toBeUndefined()
  expect(rules.contextOf(other, withUser, 1)).toEqual({ sampled: 1 })
})
