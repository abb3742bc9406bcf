/**
 * Renders the email of a notification: short plain text, because the person who typed the address
 * may not own it. It contains a title of user content, and an excerpt of a reply only if the site
 * has signed that the mailbox belongs to its user; so a portal cannot be used to send text to
 * strangers.
 */
import type { DueNotification } from './judge-notification.ts'

export interface NotificationEmail {
  readonly subject: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export interface NotificationNews {
  readonly newStatus: boolean
  readonly newResponse: boolean
}

const userTextCharactersMax = 200
const subjectTitleCharactersMax = 100
/** Text of the team is sent in full. */
const teamTextCharactersMax = 2_000

export function renderNotification(
  notification: DueNotification,
  news: NotificationNews,
  { apiUrl, stopUrl }: { apiUrl: string; stopUrl: string },
): NotificationEmail {
  const base = apiUrl.replace(/\/$/, '')
  const pathOf = (ideaId: string) => `${base}/portal/${notification.projectKey}/ideas/${ideaId}`
  const { subject, lines } = newsOf(notification, news)
  // The line before a signature ends in a space, so that mail clients omit the signature in
  // replies.
  const signature = [
    '-- ',
    `You get this because your address was given on the ideas portal of ${oneLine(notification.portalName, subjectTitleCharactersMax)}.`,
    `Stop these mails, or tell us that it was not you: ${stopUrl}`,
  ].join('\n')
  const text = [...lines, pathOf(notification.canonicalId ?? notification.ideaId), signature].join(
    '\n\n',
  )
  return {
    subject: oneLine(subject, 200),
    text: `${text}\n`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${stopUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  }
}

function newsOf(
  notification: DueNotification,
  news: NotificationNews,
): { subject: string; lines: string[] } {
  const title = `“${oneLine(notification.ideaTitle, userTextCharactersMax)}”`
  const short = `“${oneLine(notification.ideaTitle, subjectTitleCharactersMax)}”`
  switch (notification.kind) {
    case 'status':
      return statusNews(notification, news, { title, short })
    case 'approved':
      return {
        subject: `Your idea ${short} is published`,
        lines: [`Your idea ${title} is published. Others can vote for it and comment on it now.`],
      }
    case 'rejected': {
      const reason = teamText(notification.rejectReason)
      return {
        subject: `About your idea ${short}`,
        lines: [`Your idea ${title} was not taken onto the portal.`, ...reason],
      }
    }
    case 'reply': {
      const who = notification.commentByTeam ? 'The team' : 'Somebody'
      const said = notification.commentByTeam
        ? teamText(notification.commentBody)
        : notification.verified && notification.commentBody !== null
          ? [`“${oneLine(notification.commentBody, userTextCharactersMax)}”`]
          : []
      return {
        subject: `A reply to your comment on ${short}`,
        lines: [`${who} replied to your comment on the idea ${title}.`, ...said],
      }
    }
  }
}

function statusNews(
  notification: DueNotification,
  { newStatus, newResponse }: NotificationNews,
  { title, short }: { title: string; short: string },
): { subject: string; lines: string[] } {
  const answer = newResponse ? teamText(notification.response) : []
  if (!newStatus) {
    return {
      subject: `An answer to ${short}`,
      lines: [`The team answered the idea ${title}:`, ...answer],
    }
  }
  if (notification.canonicalTitle !== null) {
    const other = `“${oneLine(notification.canonicalTitle, userTextCharactersMax)}”`
    return {
      subject: `${short} goes on as another idea`,
      lines: [
        `The idea ${title} is the same as ${other}; votes for it count there now.`,
        ...answer,
      ],
    }
  }
  return {
    subject: `${short} is now ${notification.ideaStatus}`,
    lines: [`The idea ${title} is now ${notification.ideaStatus}.`, ...answer],
  }
}

function teamText(text: string | null): string[] {
  if (text === null || text.trim() === '') return []
  return [clip(text.replace(/[^\P{C}\n\t]/gu, '').trim(), teamTextCharactersMax)]
}

/** One line without characters that change its direction, are invisible, or end it. */
function oneLine(text: string, charactersMax: number): string {
  return clip(text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), charactersMax)
}

/** Cuts by grapheme clusters, so that no character is cut in half. */
function clip(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  return `${characters.slice(0, charactersMax - 1).join('')}…`
}
