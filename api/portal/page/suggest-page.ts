/** The form for a new idea, which lists similar ideas while the title is typed. */
import type { Idea } from '#schemas/rest/portal/idea.ts'
import { framePage, type PortalFrame } from './frame.ts'
import { type Fragment, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { shortNumber, statusBadge } from './pieces.ts'

const titleCharactersMax = 200
const textCharactersMax = 10_000

export interface SuggestData {
  readonly title: string
  readonly description: string
  readonly email: string
  readonly similar: readonly Idea[]
  readonly problem?: string
}

export function suggestPage(frame: PortalFrame, data: SuggestData, canonical: string): string {
  const { words } = frame.language
  const main = html`<p class="crumb"><a href="${frame.base}">${icon('back')}${words.back}</a></p>
<div class="intro"><h1>${words.suggestTitle}</h1><p class="lead">${words.suggestIntro}</p></div>
${frame.needsToken ? html`<p class="note">${words.signIn}</p>` : form(frame, data)}`
  return framePage(frame, { title: words.suggestTitle, kind: 'suggest', canonical, main })
}

function form(frame: PortalFrame, data: SuggestData): Html {
  const { words } = frame.language
  return html`<form class="card suggest" id="suggest-form" method="post" action="${frame.base}/suggest">
<label class="label" for="title">${words.ideaTitle}</label>
<input id="title" name="title" required maxlength="${titleCharactersMax}" value="${data.title}" placeholder="${words.ideaTitleHint}" autocomplete="off" aria-describedby="similar" dir="auto">
<div id="similar" aria-live="polite">${similarIdeas(frame, data.similar)}</div>
<label class="label" for="description">${words.ideaText}</label>
<textarea id="description" name="description" required rows="7" maxlength="${textCharactersMax}" placeholder="${words.ideaTextHint}" dir="auto">${data.description}</textarea>
${trapField(frame)}
<div class="form-row">${emailField(frame, 'email', data.email)}<button class="button primary" type="submit">${words.submit}</button></div>
<p class="form-error" role="alert">${data.problem}</p>
</form>`
}

export function similarIdeas(frame: PortalFrame, ideas: readonly Idea[]): Fragment {
  if (ideas.length === 0) return false
  const { words, locale } = frame.language
  return html`<div class="similar"><p class="similar-title">${words.similar}</p><ul>${ideas.map(
    (idea) =>
      html`<li><a href="${frame.base}/ideas/${idea.id}"><span class="similar-votes" aria-label="${words.votes(idea.vote_count)}">${icon('up')}${shortNumber(idea.vote_count, locale)}</span><span class="similar-name" dir="auto">${idea.title}</span>${
        idea.status !== 'Open' && statusBadge(idea.status, frame.language)
      }</a></li>`,
  )}</ul></div>`
}

export function emailField(frame: PortalFrame, id: string, value = ''): Html {
  const { words } = frame.language
  return html`<div class="email"><label class="label small" for="${id}">${words.email}</label>
<input id="${id}" type="email" name="enduser_email" value="${value}" maxlength="254" autocomplete="email" aria-describedby="${id}-why" dir="ltr"><p class="hint" id="${id}-why">${words.emailWhy}</p></div>`
}

/** A hidden field that only programs fill in, and the stamp that detects fast ones. */
export function trapField({ language, stamp }: PortalFrame): Html {
  return html`<input type="hidden" name="stamp" value="${stamp}"><p class="hidden" aria-hidden="true"><label>${language.words.leaveEmpty}<input name="website" tabindex="-1" autocomplete="off"></label></p>`
}
