/** The newest event of an issue: exceptions with source, request, tags, breadcrumbs. */
import type { EventDetail } from '#schemas/rest/event.ts'
import {
  type FrameFacts,
  factsOf,
  type SourceLine,
  type StackFacts,
} from '../../briefs/event-facts.ts'
import { sourceText } from '../../briefs/event-sections.ts'
import { type Html, html } from '../../portal/page/html.ts'
import { factList, shownLine, shownTime } from '../shown-text.ts'

const headingCharactersMax = 1_000
const lineCharactersMax = 500
const tagsMax = 50
const tagCharactersMax = 200

export function eventParts(event: EventDetail, nowMs: number): Html {
  const facts = factsOf(event.payload)
  const { message, request, breadcrumbs } = facts
  const isNewText = message !== undefined && !event.title.includes(message)
  const about = factList([
    { name: 'Message', value: isNewText ? shownLine(message, headingCharactersMax) : null },
    { name: 'Received', value: shownTime(event.received_at, nowMs) },
    { name: 'Release', value: event.release },
    { name: 'Environment', value: event.environment },
    { name: 'Component', value: event.component },
    { name: 'Server', value: event.server_name },
    { name: 'SDK', value: event.sdk },
    { name: 'Event id', value: event.id },
  ])
  const tags = Object.entries(event.tags)
    .slice(0, tagsMax)
    .map(([key, value]) => {
      const name = shownLine(key, tagCharactersMax)
      return html`<li><span class="soft">${name}</span> ${shownLine(value, tagCharactersMax)}</li>`
    })
  return html`
${card(stacksHeading(facts.stacksLeftOut), facts.stacks.length === 0 ? undefined : html`${facts.stacks.map(stackOf)}`)}
${card('Newest event', about)}
${card('Request', linesOf(request))}
${card('Tags', tags.length === 0 ? undefined : html`<ul class="tags">${tags}</ul>`)}
${card('Last breadcrumbs, newest last', linesOf(breadcrumbs))}`
}

function card(title: string, content: Html | undefined): Html | undefined {
  return content && html`<section class="card"><h2>${title}</h2>${content}</section>`
}

function linesOf(lines: readonly string[]): Html | undefined {
  if (lines.length === 0) return undefined
  return html`<ul class="lines">${lines.map((line) => html`<li>${shownLine(line, lineCharactersMax)}</li>`)}</ul>`
}

function stacksHeading(leftOut: number): string {
  return leftOut === 0 ? 'Exception' : `Exception (${leftOut} earlier causes are left out)`
}

function stackOf({ heading, frames, framesLeftOut }: StackFacts, index: number): Html {
  const cause = index === 0 ? null : html`<span class="soft">caused by </span>`
  const others = framesLeftOut === 1 ? '1 other frame is' : `${framesLeftOut} other frames are`
  const rest = framesLeftOut === 0 ? null : html`<p class="soft">${others} left out.</p>`
  return html`<h3>${cause}${shownLine(heading, headingCharactersMax)}</h3>
<ol class="frames">${frames.map((frame) => html`<li>${frameOf(frame)}</li>`)}</ol>${rest}`
}

/** Frames of the application are open. */
function frameOf({ place, inApp, source }: FrameFacts): Html {
  const mark = inApp ? html`<span class="mark">in app</span>` : null
  const at = html`<span${inApp ? html` class="own"` : null}>${shownLine(place)}</span>${mark}`
  if (source.length === 0) return html`<div class="place">${at}</div>`
  const isOpen = inApp || source.length > 1
  return html`<details${isOpen ? html` open` : null}><summary>${at}</summary><pre>${source.map(lineOf)}</pre></details>`
}

function lineOf({ lineNo, text, isCurrent }: SourceLine): Html {
  const mark = isCurrent ? html` class="now"` : null
  return html`<span${mark}><i>${lineNo ?? ''}</i>${sourceText(text)}</span>`
}
