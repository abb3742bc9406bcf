/** The list of ideas: search, tabs by status with counts, tags, and cards with own votes. */
import {
  type Idea,
  type IdeaStatus,
  ideaStatuses,
  ideasPerPage,
} from '#schemas/rest/portal/idea.ts'
import { framePage, type PortalFrame } from './frame.ts'
import { around, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { plainExcerpt } from './markdown.ts'
import { pendingBadge, shortNumber, statusBadge, tagLinks, timeAgo, voteForm } from './pieces.ts'
import type { IdeaPageReply, ShownTag, StatsReply } from './portal-replies.ts'

export interface ListView {
  readonly search: string
  readonly status?: IdeaStatus | undefined
  readonly tag: string
  readonly sort: 'top' | 'new'
  readonly offset: number
}

const excerptCharactersMax = 180
const searchCharactersMax = 200

export interface ListData {
  readonly list: IdeaPageReply
  readonly stats: StatsReply | undefined
  readonly tags: readonly ShownTag[]
  readonly view: ListView
}

export function listPage(frame: PortalFrame, data: ListData, canonical: string): string {
  const { description } = frame.config ?? {}
  const main = html`${description && html`<p class="lead intro" dir="auto">${description}</p>`}
${searchForm(frame, data.view)}
<div id="list-area">${listArea(frame, data)}</div>`
  return framePage(frame, { title: frame.title, kind: 'list', canonical, main })
}

/** The part that the script fetches when search, tab or tag changes. */
export function listArea(frame: PortalFrame, data: ListData): Html {
  const { view } = data
  // An empty portal has no filters.
  if (data.stats?.total === 0 && data.list.total === 0) return ideaList(frame, data)
  return html`${tabs(frame, data)}
<div class="filters">${tagBar(frame, data)}${sorting(frame, view)}</div>
${ideaList(frame, data)}`
}

function searchForm(frame: PortalFrame, view: ListView): Html {
  const { words } = frame.language
  return html`<form class="search" role="search" method="get" action="${frame.base}" id="search-form">
${icon('search')}<input type="search" name="search" id="search" value="${view.search}" maxlength="${searchCharactersMax}" placeholder="${words.searchPlaceholder}" aria-label="${words.search}" autocomplete="off" enterkeyhint="search" dir="auto">
<kbd class="key" aria-hidden="true">/</kbd>
${view.status !== undefined && html`<input type="hidden" name="status" value="${view.status}">`}
${view.tag !== '' && html`<input type="hidden" name="tag" value="${view.tag}">`}
${view.sort === 'new' && html`<input type="hidden" name="sort" value="new">`}
</form>`
}

function tabs(frame: PortalFrame, { stats, view, list }: ListData): Html {
  const { words, locale } = frame.language
  const countOf = (status: IdeaStatus) =>
    stats?.counts.find((count) => count.status === status)?.count ?? 0
  const shown = ideaStatuses.filter(
    // Duplicates have no tab; search finds them.
    (status) => status === view.status || (countOf(status) > 0 && status !== 'Duplicate'),
  )
  const tab = (status: IdeaStatus | undefined, label: string, count: number) => {
    const current = status === view.status
    return html`<a class="tab" href="${address(frame, { ...view, status, offset: 0 })}"${
      current && html` aria-current="page"`
    }>${label}<span class="tab-count">${shortNumber(count, locale)}</span></a>`
  }
  return html`<nav class="tabs" aria-label="${words.byStatus}">
${tab(undefined, words.all, stats?.total ?? list.total)}${shown.map((status) =>
  tab(status, words.status[status], countOf(status)),
)}</nav>`
}

function sorting(frame: PortalFrame, view: ListView): Html {
  const { words } = frame.language
  const choice = (sort: ListView['sort'], label: string) =>
    html`<a href="${address(frame, { ...view, sort, offset: 0 })}"${
      sort === view.sort && html` aria-current="true"`
    }>${label}</a>`
  return html`<div class="sort" role="group" aria-label="${words.sortBy}">${choice('top', words.top)}${choice('new', words.newest)}</div>`
}

function tagBar(frame: PortalFrame, { tags, view }: ListData): Html | false {
  const used = tags.filter(({ idea_count, slug }) => idea_count > 0 || slug === view.tag)
  if (used.length === 0) return false
  const { words, locale } = frame.language
  return html`<nav class="tag-bar" aria-label="${words.tags}">${used.map(
    ({ slug, name, idea_count }) => {
      const on = slug === view.tag
      return html`<a class="tag tag-${slug}" href="${address(frame, { ...view, tag: on ? '' : slug, offset: 0 })}"${
        on && html` aria-current="true"`
      }><span dir="auto">${name}</span>${on ? icon('close') : html`<span class="tag-count">${shortNumber(idea_count, locale)}</span>`}</a>`
    },
  )}</nav>`
}

function ideaList(frame: PortalFrame, { list, view }: ListData): Html {
  const { words } = frame.language
  const filtered = view.search !== '' || view.tag !== '' || view.status !== undefined
  const back = address(frame, view)
  const next = address(frame, { ...view, offset: view.offset + ideasPerPage })
  return html`<p class="found" id="found" role="status">${filtered && list.total > 0 && words.found(list.total)}</p>
${list.items.length === 0 ? emptyList(frame, view) : html`<ol class="ideas" id="ideas">${list.items.map((idea) => ideaCard(frame, idea, back))}</ol>`}
${list.has_more && html`<a class="button more" id="more" href="${next}" rel="next">${words.more}</a>`}
${view.search !== '' && list.items.length > 0 && suggestInstead(frame, view.search)}`
}

export function ideaCard(frame: PortalFrame, idea: Idea, back: string): Html {
  const { words, locale } = frame.language
  const shownStatus =
    idea.moderation === 'pending' ? pendingBadge(frame.language) : statusOf(frame, idea)
  return html`<li class="idea" id="idea-${idea.id}">
${voteForm(frame, idea, back)}
<div class="idea-text">
<h2><a href="${frame.base}/ideas/${idea.id}" dir="auto">${idea.title}</a></h2>
<p class="excerpt" dir="auto">${plainExcerpt(idea.description, excerptCharactersMax)}</p>
${idea.moderation === 'pending' && html`<p class="pending-line">${words.pendingNote}</p>`}
<p class="facts">${shownStatus}${tagLinks(frame, idea.tags)}<span class="fact">${timeAgo(idea.created_at, frame)}</span>${
    idea.comment_count > 0 &&
    html`<span class="fact comments-fact" title="${words.comments(idea.comment_count)}">${icon('comment')}<span aria-hidden="true">${shortNumber(idea.comment_count, locale)}</span><span class="hidden">${words.comments(idea.comment_count)}</span></span>`
  }</p>
</div>
</li>`
}

/** The badge is omitted for Open, the status of every new idea. */
function statusOf(frame: PortalFrame, idea: Idea): Html | false {
  return idea.status !== 'Open' && statusBadge(idea.status, frame.language)
}

function emptyList(frame: PortalFrame, view: ListView): Html {
  const { words } = frame.language
  if (view.search !== '') {
    return html`<div class="empty"><p class="empty-title">${around(words.nothingFits, view.search)}</p>${suggestButton(frame, view.search, 'primary')}</div>`
  }
  const filtered = view.tag !== '' || view.status !== undefined
  return html`<div class="empty"><p class="empty-title">${words.nothingHere}</p>${
    !filtered && html`<p>${words.beFirst}</p>${suggestButton(frame, '')}`
  }</div>`
}

function suggestInstead(frame: PortalFrame, search: string): Html | false {
  if (frame.config?.allow_suggestions === false) return false
  return html`<p class="instead">${suggestButton(frame, search)}</p>`
}

function suggestButton(frame: PortalFrame, title: string, look = ''): Html | false {
  if (frame.config?.allow_suggestions === false) return false
  const { words } = frame.language
  if (title === '') {
    return html`<a class="button primary" href="${frame.base}/suggest">${icon('plus')}<span>${words.suggest}</span></a>`
  }
  return html`<a class="button ${look}" href="${frame.base}/suggest?title=${encodeURIComponent(title)}">${icon('plus')}<span>${around(words.suggestThis, title)}</span></a>`
}

/** Parameters with default values are omitted, so that links stay short. */
export function address(frame: PortalFrame, view: ListView): string {
  const query = new URLSearchParams()
  if (view.search !== '') query.set('search', view.search)
  if (view.status !== undefined) query.set('status', view.status)
  if (view.tag !== '') query.set('tag', view.tag)
  if (view.sort === 'new') query.set('sort', 'new')
  if (view.offset > 0) query.set('offset', String(view.offset))
  const text = query.toString()
  return text === '' ? frame.base : `${frame.base}?${text}`
}
