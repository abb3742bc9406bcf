/** What alert emails say, and that no text of an event can change them. */
import { describe, expect, test } from 'vitest'
import { SecretBox } from '#platform/secret-box.ts'
import { readAlertStopToken } from '#schemas/alert-stop-token.ts'
import {
  hostileText,
  sampleIssue,
  samplePayloads,
} from '../../../test/fixtures/notifications/sample-payloads.ts'
import { readAlertPayload, withoutIssues } from './alert-payload.ts'
import { type FirstFrame, firstFrame } from './first-frame.ts'
import { writeEmail } from './send-alert-email.ts'

const box = new SecretBox('a secret of the tests, of enough characters')
const personId = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e20'
const ruleId = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e11'
const ctx = {
  box,
  apiUrl: 'https://sluice.example/',
  from: { name: 'Sluice', email: 'sluice@mail.example' },
}

interface Asked {
  readonly frame?: FirstFrame
  readonly personId?: string | null
  readonly ruleId?: string
}

function emailOf(payload: unknown, asked: Asked = {}) {
  return writeEmail(ctx, {
    payload: readAlertPayload(payload),
    recipient: { email: 'ada@example.com', personId: asked.personId ?? null },
    ruleId: asked.ruleId ?? ruleId,
    shortName: 'SHOP',
    frame: asked.frame,
  })
}

const about = (type: string, data: object) => ({
  type,
  timestamp: '2026-11-23T08:00:00.000Z',
  data: { project: { name: 'Shop' }, rule: { name: 'Night' }, reason: 'Because.', ...data },
})
const idea = { id: personId, title: 'Dark mode', status: 'Planned', url: 'https://a.example/i' }

// biome-ignore format: the columns are the point
test.each([
  ['a new issue', samplePayloads['a new issue'], "[SHOP] TypeError: Cannot read properties of undefined (reading 'total')", 'New issue in Shop'],
  ['a regression', samplePayloads['a fatal regression'], "[SHOP] TypeError: Cannot read properties of undefined (reading 'total')", 'Issue returned in Shop'],
  ['a failed monitor', samplePayloads['a failed monitor'], '[SHOP] Monitor nightly failed', 'Monitor failed in Shop'],
  ['a recovered monitor', samplePayloads['a recovered monitor'], '[SHOP] Monitor nightly recovered', 'Monitor recovered in Shop'],
  ['a measure', samplePayloads['a measure'], '[SHOP] Crash-free rate is low', 'Crash-free rate is low in Shop'],
  ['an idea', samplePayloads['a new idea'], '[SHOP] New idea: Dark mode', 'New idea in Shop'],
  ['an idea with a new status', about('idea.status_changed', { idea }), '[SHOP] Idea is now Planned: Dark mode', 'Idea changed its status in Shop'],
  ['feedback', samplePayloads['new feedback'], '[SHOP] New feedback: It is slow.', 'New feedback in Shop'],
  ['a test', samplePayloads['a test'], '[SHOP] Test notification', 'Test notification in Shop'],
  ['a digest', samplePayloads['a digest'], '[SHOP] 14 alerts: New in production', '14 alerts in Shop'],
  ['a kind of a later version', about('later.kind', {}), '[SHOP] later.kind', 'later.kind in Shop'],
])('%s has a subject and a first line', (_name, payload, subject, first) => {
  const email = emailOf(payload)
  expect(email.subject).toBe(subject)
  expect(email.text.split('\n')[0]).toBe(first)
  expect(email.html).toContain(first)
})

test('an email about an issue has everything that a phone should show', () => {
  const frame = { place: 'checkout/cart.ts:42 in total', code: 'return cart.total' }
  const { text } = emailOf(samplePayloads['a new issue'], { frame, personId })
  expect(text).toBe(`New issue in Shop

TypeError: Cannot read properties of undefined (reading 'total')
checkout/cart.ts:42 in total
    return cart.total

A new issue was created.

Issue: SHOP-7
Events: 12 from 3 users
Level: error
Release: shop@1.2.3
Environment: production

https://sluice.example/projects/019ab2c4/issues/019ab2c5?a=1&b=2

-- 
Sent by the alert rule “New in production” of Shop.
Stop emails about this issue: ${linkIn(text, 'this issue')}
Stop emails of this rule: ${linkIn(text, 'this rule')}
`)
})

const linkIn = (text: string, what: string) =>
  text.match(new RegExp(`${what}: (https://sluice\\.example/alert-stop/[\\w-]+)$`, 'm'))?.[1]

test('a digest counts what it does not list', () => {
  expect(emailOf(samplePayloads['a storm']).text).toContain('… and 9,980 more')
  const { text, html } = emailOf(samplePayloads['a digest'])
  expect(text.match(/^- Timeout$/gm)).toHaveLength(14)
  expect(text).toContain('  SHOP-7 · Because Timeout · 12 events · 3 users')
  expect(text + html).not.toContain('more')
})

const hostileFrame = firstFrame(
  JSON.stringify({
    stacktrace: {
      frames: [{ filename: hostileText, function: hostileText, context_line: hostileText }],
    },
  }),
)!

describe.each(Object.entries(samplePayloads))('%s', (_name, payload) => {
  const email = emailOf(payload, { personId, frame: hostileFrame })

  test('has no markup but ours, and loads nothing', () => {
    const tags = new Set([...email.html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag]) => tag))
    const ours = 'html head meta title style body div table tr td p h1 strong br span a !doctype'
    expect([...tags].filter((tag) => !ours.split(' ').includes(tag!))).toEqual([])
    expect(email.html).not.toMatch(/ src=|url\(|@import|<link|javascript:/i)
    for (const [, href] of email.html.matchAll(/href="([^"]*)"/g)) {
      expect(href).toMatch(/^https:\/\/sluice\.example\//)
    }
    // Every value is in double quotes, so a value that ended one would leave an odd number.
    expect((email.html.match(/"/g)?.length ?? 0) % 2).toBe(0)
  })

  test('has no characters that reorder, hide or end text', () => {
    // FSI and PDI isolate a title that is written from right to left; they are our own.
    expect(email.subject).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066\u2067]/u)
    expect(email.html + email.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u)
    expect((email.html + email.text).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}]/u)
  })

  test('is short', () => {
    expect([...email.subject].length).toBeLessThanOrEqual(130)
    // Gmail cuts messages of more than 102 KB.
    expect(Buffer.byteLength(email.html)).toBeLessThan(64_000)
  })
})

test('a title from right to left is isolated in the subject', () => {
  const issue = { ...sampleIssue, title: '\u202e\u05e9\u05d2\u05d9\u05d0\u05d4' }
  expect(emailOf(about('issue.new', { issue })).subject).toBe(
    '[SHOP] \u2068\u05e9\u05d2\u05d9\u05d0\u05d4\u2069',
  )
})

describe('header fields', () => {
  const first = emailOf(samplePayloads['a new issue'], { personId })

  test('make a thread of one rule and one issue', () => {
    const returned = emailOf(samplePayloads['a fatal regression'], { personId })
    expect(returned.headers).toEqual(first.headers)
    expect(returned.subject).toBe(first.subject)
    const thread = first.headers['References']
    expect(thread).toMatch(/^<alert\.[0-9a-f]{32}@mail\.example>$/)
    expect(first.headers['In-Reply-To']).toBe(thread)
    const otherRule = emailOf(samplePayloads['a new issue'], { ruleId: personId })
    const otherIssue = emailOf(about('issue.new', { issue: { ...sampleIssue, id: ruleId } }))
    const threads = [first, otherRule, otherIssue].map(({ headers }) => headers['References'])
    expect(new Set(threads).size).toBe(3)
  })

  test('name the rule and how to stop its emails', () => {
    const url = linkIn(first.text, 'this rule')
    expect(first.headers).toMatchObject({
      'Auto-Submitted': 'auto-generated',
      'List-Id': `<${ruleId}.alerts.mail.example>`,
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  test('links name the person and the rule or the issue, and are signed for nothing else', () => {
    const read = (url: string | undefined) =>
      readAlertStopToken(url!.split('/').at(-1)!, (purpose, message, mac) =>
        box.isMac(purpose, message, mac),
      )
    const rule = linkIn(first.text, 'this rule')
    expect(read(rule)).toEqual({ kind: 'rule', personId, subjectId: ruleId })
    const issue = linkIn(first.text, 'this issue')
    expect(read(issue)).toEqual({ kind: 'issue', personId, subjectId: sampleIssue.id })
    const bytes = Buffer.from(rule!.split('/').at(-1)!, 'base64url')
    bytes[0] = 2
    expect(read(`/${bytes.toString('base64url')}`)).toBeUndefined()
  })

  test('an address of no person has no links to stop', () => {
    const email = emailOf(samplePayloads['a new issue'])
    expect(email.text + email.html).not.toContain('alert-stop')
    expect(email.headers['List-Unsubscribe']).toBeUndefined()
  })
})

describe('issues that a person has stopped', () => {
  const [a, b] = [sampleIssue, { ...sampleIssue, id: ruleId }]
  const digest = (count: number, more: number, ...issues: object[]) =>
    readAlertPayload(
      about('alert.digest', {
        digest: { count, more, firings: issues.map((issue) => ({ type: 'issue.new', issue })) },
      }),
    )
  const left = (payload: ReturnType<typeof digest>, ...ids: string[]) => {
    const { digest: rest } = withoutIssues(payload, new Set(ids))?.data ?? {}
    return rest && [rest.count, rest.more, rest.firings?.map(({ issue }) => issue?.id)]
  }

  test('are left out of a digest, and nothing is left of one with only them', () => {
    expect(left(digest(2, 0, a, b), a.id)).toEqual([1, 0, [b.id]])
    expect(left(digest(2, 0, a, b), a.id, b.id)).toBeUndefined()
    expect(left(digest(9, 7, a, b), a.id, b.id)).toEqual([7, 7, []])
    expect(left(digest(2, 0, a, b), personId)).toEqual([2, 0, [a.id, b.id]])
  })

  test('have no email of their own', () => {
    const payload = readAlertPayload(samplePayloads['a new issue'])
    expect(withoutIssues(payload, new Set([a.id]))).toBeUndefined()
    expect(withoutIssues(payload, new Set([b.id]))).toBe(payload)
  })
})

describe('the first frame', () => {
  const event = (...stacks: object[][]) =>
    JSON.stringify({ exception: { values: stacks.map((frames) => ({ stacktrace: { frames } })) } })
  const app = { filename: 'cart.ts', lineno: 42, function: 'total', in_app: true }
  const library = { filename: 'express.js', lineno: 7, function: 'handle', in_app: false }

  // biome-ignore format: the columns are the point
  test.each([
    ['the innermost of the app', event([{ ...app, lineno: 1 }, app, library]), 'cart.ts:42 in total'],
    ['of the last exception that has one', event([app], [library]), 'cart.ts:42 in total'],
    ['of the last exception first', event([{ ...app, lineno: 1 }], [app]), 'cart.ts:42 in total'],
    ['the innermost, if the client does not tell', event([{ function: 'main' }, { module: 'a.b', function: 'run' }]), 'a.b in run'],
    ['none of libraries alone', event([library]), undefined],
    ['one without a line', event([{ filename: 'a.php', in_app: true }]), 'a.php'],
    ['of a stack without an exception', JSON.stringify({ stacktrace: { frames: [app] } }), 'cart.ts:42 in total'],
    ['of the thread that crashed', JSON.stringify({ threads: { values: [{ stacktrace: { frames: [library] } }, { crashed: true, stacktrace: { frames: [app] } }] } }), 'cart.ts:42 in total'],
    ['frames that are none', event([7 as never, null as never, app]), 'cart.ts:42 in total'],
    ['no JSON', '{', undefined],
    ['nothing', '{}', undefined],
    ['another shape', '{"exception":[],"threads":1}', undefined],
  ])('%s', (_name, payload, place) => {
    expect(firstFrame(payload)?.place).toBe(place)
  })

  test('has the line of code, without controls and cut', () => {
    const context_line = `\t\u202e${'x'.repeat(500)}`
    expect(firstFrame(event([{ ...app, context_line }]))?.code).toBe(`${'x'.repeat(119)}…`)
  })

  test('replaces a culprit that says less', () => {
    const place = 'checkout/cart.ts:42 in total'
    expect(emailOf(samplePayloads['a new issue']).text).toContain('checkout/cart.ts in total')
    const frame = { place, code: undefined }
    expect(emailOf(samplePayloads['a new issue'], { frame }).text).not.toContain('cart.ts in')
    const other = { place: 'other.ts:1 in f', code: undefined }
    expect(emailOf(samplePayloads['a new issue'], { frame: other }).text).toContain('cart.ts in')
  })
})
