import { expect, test } from 'vitest'
import {
  type DueNotification,
  judgeNotification,
  notificationsPerDayMax,
} from './judge-notification.ts'
import { renderNotification } from './render-notification.ts'

const planned = new Date('2026-11-21T01:00:00.000Z')
const later = new Date('2026-11-21T01:02:00.000Z')
const earlier = new Date('2026-11-20T01:00:00.000Z')

const base: DueNotification = {
  id: 'n',
  kind: 'status',
  projectId: 'p',
  organizationId: 'o',
  projectKey: 'k',
  portalName: 'Acme',
  email: 'ada@example.com',
  emailKey: 'ada@example.com',
  verified: false,
  optedOut: false,
  suppressed: false,
  sentToday: 0,
  createdAt: planned,
  ideaId: 'i',
  ideaTitle: 'Dark mode',
  ideaStatus: 'Planned',
  ideaModeration: 'published',
  canonicalId: null,
  canonicalTitle: null,
  response: null,
  responseAt: null,
  statusBefore: 'Open',
  rejectReason: null,
  commentBody: null,
  commentByTeam: null,
  commentStands: false,
}
const reply = {
  kind: 'reply',
  statusBefore: null,
  commentBody: 'Buy at https://spam.example',
  commentByTeam: false,
  commentStands: true,
} as const

// biome-ignore format: the columns are the point
test.each([
  ['a new status                            ', {}, 'send'],
  ['a status that was undone                ', { ideaStatus: 'Open' }, 'no_longer_true'],
  ['an undone status, with a new response   ', { ideaStatus: 'Open', response: 'Yes', responseAt: later }, 'send'],
  ['only a response                         ', { statusBefore: null, response: 'Yes', responseAt: planned }, 'send'],
  ['an earlier response                     ', { statusBefore: null, response: 'Yes', responseAt: earlier }, 'no_longer_true'],
  ['a response that was withdrawn           ', { statusBefore: null }, 'no_longer_true'],
  ['of an idea that is not published        ', { ideaModeration: 'pending' }, 'no_longer_true'],
  ['to a user who opted out                 ', { optedOut: true }, 'opted_out'],
  ['to a suppressed mailbox                 ', { suppressed: true }, 'suppressed'],
  ['the fifth of a day                      ', { sentToday: notificationsPerDayMax - 1 }, 'send'],
  ['the sixth of a day                      ', { sentToday: notificationsPerDayMax }, 'share_of_the_day'],
  ['a reply                                 ', reply, 'send'],
  ['a reply that was deleted                ', { ...reply, commentStands: false }, 'no_longer_true'],
  ['an approval                             ', { kind: 'approved' }, 'send'],
  ['an approval of an idea rejected later   ', { kind: 'approved', ideaModeration: 'rejected' }, 'no_longer_true'],
  ['a rejection                             ', { kind: 'rejected', ideaModeration: 'rejected' }, 'send'],
] as const)('%s: %o', (_name, given, want) => {
  const judgement = judgeNotification({ ...base, ...given }, 0)
  expect(judgement.kind === 'drop' ? judgement.why : judgement.kind).toBe(want)
})

test('emails accepted earlier in the same run count towards the daily maximum', () => {
  expect(judgeNotification({ ...base, sentToday: 3 }, 2)).toMatchObject({ why: 'share_of_the_day' })
})

const urls = { apiUrl: 'https://ideas.example/', stopUrl: 'https://ideas.example/n/token' }
const emailOf = (given: Partial<DueNotification>, news = { newStatus: true, newResponse: false }) =>
  renderNotification({ ...base, ...given }, news, urls)

test('the email contains the news, a link to the idea and a link to unsubscribe', () => {
  const email = emailOf({})
  expect(email.subject).toBe('“Dark mode” is now Planned')
  expect(email.text).toContain('https://ideas.example/portal/k/ideas/i\n')
  expect(email.text).toContain('https://ideas.example/n/token')
  expect(email.headers).toEqual({
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': '<https://ideas.example/n/token>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

test('a status and an answer are one email', () => {
  const both = emailOf({ response: 'In May.' }, { newStatus: true, newResponse: true })
  expect(both.text).toMatch(/is now Planned\.\n\nIn May\./)
  const answer = emailOf({ response: 'In May.' }, { newStatus: false, newResponse: true })
  expect(answer.subject).toBe('An answer to “Dark mode”')
})

test('a merged idea links to the idea it was merged into', () => {
  const email = emailOf({
    canonicalId: 'c',
    canonicalTitle: 'Night mode',
    ideaStatus: 'Duplicate',
  })
  expect(email.text).toContain('the same as “Night mode”')
  expect(email.text).toContain('/ideas/c\n')
})

test('an excerpt of a reply is sent only to verified mailboxes', () => {
  expect(emailOf(reply).text).not.toContain('spam')
  expect(emailOf({ ...reply, verified: true }).text).toContain('Buy at')
  expect(emailOf({ ...reply, commentByTeam: true }).text).toContain('The team replied')
})

test('a title cannot break the subject, reverse it or fill the email', () => {
  const ideaTitle = `A\r\nBcc: eve@example.com\u202e\u0000 ${'🙂'.repeat(300)}`
  const { subject, text } = emailOf({ ideaTitle })
  expect(subject).not.toMatch(/[\p{Cc}\u202e]/u)
  expect([...subject].length).toBeLessThanOrEqual(200)
  expect(text).not.toContain('\u202e')
  expect(text).toMatch(/^[^\n]+…” is now Planned\.\n/)
  expect([...(text.split('\n')[0] ?? '')].length).toBeLessThan(240)
})
