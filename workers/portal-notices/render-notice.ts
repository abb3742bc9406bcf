/**
 * The letter of a notice: plain text and short, for whoever typed the address may not be its owner. Of what users wrote it holds a
 * title, and of a reply some characters when a site has signed that the mailbox is its user's; so nobody can have us carry their
 * words to a stranger.
 */
import type { DueNotice } from './judge-notice.ts'

export interface NoticeLetter {
  readonly subject: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export interface NoticeNews {
  readonly newStatus: boolean
  readonly newResponse: boolean
}

const userTextCharactersMax = 200
const subjectTitleCharactersMax = 100
/** What the team wrote is theirs to send. */
const teamTextCharactersMax = 2_000

export function renderNotice(
  notice: DueNotice,
  news: NoticeNews,
  { apiUrl, stopUrl }: { apiUrl: string; stopUrl: string },
): NoticeLetter {
  const base = apiUrl.replace(/\/$/, '')
  const pathOf = (ideaId: string) => `${base}/portal/${notice.projectKey}/ideas/${ideaId}`
  const { subject, lines } = newsOf(notice, news)
  // The line above a signature ends in a space, so that mail programs leave what follows out of answers.
  const signature = [
    '-- ',
    `You get this because your address was given on the ideas portal of ${oneLine(notice.portalName, subjectTitleCharactersMax)}.`,
    `Stop these mails, or tell us that it was not you: ${stopUrl}`,
  ].join('\n')
  const text = [...lines, pathOf(notice.canonicalId ?? notice.ideaId), signature].join('\n\n')
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

function newsOf(notice: DueNotice, news: NoticeNews): { subject: string; lines: string[] } {
  const title = `“${oneLine(notice.ideaTitle, userTextCharactersMax)}”`
  const short = `“${oneLine(notice.ideaTitle, subjectTitleCharactersMax)}”`
  switch (notice.kind) {
    case 'status':
      return statusNews(notice, news, { title, short })
    case 'approved':
      return {
        subject: `Your idea ${short} is published`,
        lines: [`Your idea ${title} is published. Others can vote for it and comment on it now.`],
      }
    case 'rejected': {
      const reason = teamText(notice.rejectReason)
      return {
        subject: `About your idea ${short}`,
        lines: [`Your idea ${title} was not taken onto the portal.`, ...reason],
      }
    }
    case 'reply': {
      const who = notice.commentByTeam ? 'The team' : 'Somebody'
      const said = notice.commentByTeam
        ? teamText(notice.commentBody)
        : notice.verified && notice.commentBody !== null
          ? [`“${oneLine(notice.commentBody, userTextCharactersMax)}”`]
          : []
      return {
        subject: `A reply to your comment on ${short}`,
        lines: [`${who} replied to your comment on the idea ${title}.`, ...said],
      }
    }
  }
}

function statusNews(
  notice: DueNotice,
  { newStatus, newResponse }: NoticeNews,
  { title, short }: { title: string; short: string },
): { subject: string; lines: string[] } {
  const answer = newResponse ? teamText(notice.response) : []
  if (!newStatus) {
    return {
      subject: `An answer to ${short}`,
      lines: [`The team answered the idea ${title}:`, ...answer],
    }
  }
  if (notice.canonicalTitle !== null) {
    const other = `“${oneLine(notice.canonicalTitle, userTextCharactersMax)}”`
    return {
      subject: `${short} goes on as another idea`,
      lines: [
        `The idea ${title} is the same as ${other}; votes for it count there now.`,
        ...answer,
      ],
    }
  }
  return {
    subject: `${short} is now ${notice.ideaStatus}`,
    lines: [`The idea ${title} is now ${notice.ideaStatus}.`, ...answer],
  }
}

function teamText(text: string | null): string[] {
  if (text === null || text.trim() === '') return []
  return [clip(text.replace(/[^\P{C}\n\t]/gu, '').trim(), teamTextCharactersMax)]
}

/** One line without what could turn its direction, hide in it or end it. */
function oneLine(text: string, charactersMax: number): string {
  return clip(text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), charactersMax)
}

/** By characters as people count them, so that none is cut in half. */
function clip(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  return `${characters.slice(0, charactersMax - 1).join('')}…`
}
