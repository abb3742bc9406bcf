import { expect, test } from 'vitest'
import { renderNotification } from '../../../../../workers/portal-notifications/render-notification.ts'
import { type NoticeChange, noticeOf } from './notice-text.ts'

const at = new Date('2026-11-23T10:00:00.000Z')

/** The email that the workers send for the change. */
function sentFor({ title, statusBefore, status, response }: NoticeChange) {
  return renderNotification(
    {
      id: 'n',
      kind: 'status',
      projectId: 'p',
      organizationId: 'o',
      projectKey: 'key',
      portalName: 'Shop',
      email: 'ada@example.com',
      emailKey: 'ada@example.com',
      verified: true,
      optedOut: false,
      suppressed: false,
      sentToday: 0,
      createdAt: at,
      ideaId: 'i',
      ideaTitle: title,
      ideaStatus: status,
      ideaModeration: 'published',
      canonicalId: null,
      canonicalTitle: null,
      response: response ?? null,
      responseAt: response === undefined ? null : at,
      statusBefore,
      rejectReason: null,
      commentBody: null,
      commentByTeam: null,
      commentStands: true,
    },
    { newStatus: status !== statusBefore, newResponse: response !== undefined },
    { apiUrl: 'https://shop.example', stopUrl: 'https://shop.example/stop' },
  )
}

// biome-ignore format: one change a line
const changes: readonly (readonly [string, NoticeChange])[] = [
  ['a status', { title: 'Dark mode', statusBefore: 'Open', status: 'Planned', response: undefined }],
  ['a status with an answer', { title: 'Dark mode', statusBefore: 'Open', status: 'Planned', response: ' In June.\nWith themes. ' }],
  ['an answer', { title: 'Dark mode', statusBefore: 'Open', status: 'Open', response: 'Tell us more.' }],
  ['a long title', { title: 'é🎉'.repeat(150), statusBefore: 'Open', status: 'Declined', response: undefined }],
  ['a long answer', { title: 'Dark mode', statusBefore: 'Open', status: 'Started', response: 'x'.repeat(3_000) }],
  ['a title of several lines', { title: 'Dark\n\u202emode', statusBefore: 'Open', status: 'Started', response: undefined }],
]

test.each(changes)('%s reads as it is sent', (_, change) => {
  const sent = sentFor(change)
  const notice = noticeOf(change)
  expect(notice?.subject).toBe(sent.subject)
  expect(sent.text.startsWith(`${notice?.lines.join('\n\n')}\n\n`)).toBe(true)
})

test.each([undefined, '', '  \n'])('nobody is told of no change (%j)', (response) => {
  expect(noticeOf({ title: 'A', statusBefore: 'Open', status: 'Open', response })).toBeUndefined()
})
