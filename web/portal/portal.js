/**
 * Makes the pages of the portal faster; without it they work as plain links and forms. Votes, ideas
 * and comments are sent to the public API. Lists, comments and similar ideas are fetched as parts
 * of the server's pages, so that only the server renders them.
 */
import { callApi, handedOn, identity, identityHeaders, refusalText } from './portal-api.js'
import { vote } from './portal-votes.js'

const { base, known, failed, offline, tooFast } = document.body.dataset
const typingWaitMs = 250

document.documentElement.classList.add('quick')
const isFramed = window.parent !== window
if (isFramed) followHeight()

/** Tells the page around this frame how tall the content is. */
function followHeight() {
  document.documentElement.classList.add('embedded')
  const tell = () => {
    const height = Math.ceil(document.querySelector('.page').getBoundingClientRect().height)
    // The height is not secret, so it is sent to any origin.
    window.parent.postMessage({ type: 'sluice:height', height }, '*')
  }
  new ResizeObserver(tell).observe(document.querySelector('.page'))
}

/** In a frame that cannot store anything, links to other pages of the portal carry the identity. */
function handOn(link) {
  const inPortal = link.origin === location.origin && link.pathname.startsWith(base)
  if (inPortal && link.pathname !== location.pathname && handedOn() !== '') link.hash = handedOn()
}

// --- Forms ---

document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.matches('.vote')) {
    event.preventDefault()
    void vote(form.querySelector('.vote-button'))
  } else if (form.matches('.comment-form')) {
    event.preventDefault()
    void sendComment(form)
  } else if (form.id === 'suggest-form') {
    event.preventDefault()
    void sendIdea(form)
  } else if (form.id === 'search-form') {
    event.preventDefault()
    void showList(addressOf(form))
  }
})

/**
 * Requests the page again with the identity of the visitor, if the server did not know it (a frame
 * without cookies). Then it has own votes, own pending ideas and forms that need a token.
 */
async function showAsOwn() {
  if (known === 'yes' || !identity().kept) return
  try {
    const hasForm = document.getElementById('suggest-form') !== null
    if (hasForm) return
    if (area === null) await showPage()
    else area.replaceChildren(...(await fetchPart(location.href, 'list')).childNodes)
  } catch {
    // The page stays as the server rendered it.
  }
}

/** Replaces the page by the one for this visitor, unless the visitor is writing. */
async function showPage() {
  const response = await fetch(location.href, { headers: identityHeaders() })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const main = page.getElementById('main')
  const isWriting = [...document.querySelectorAll('textarea')].some(({ value }) => value !== '')
  if (main === null || isWriting) return
  document.getElementById('main').replaceChildren(...main.childNodes)
  document.title = page.title
}

// --- The list: search while typing, tabs, tags, more ---

const area = document.getElementById('list-area')
const search = document.getElementById('search')
let listCall

async function fetchPart(address, part, signal) {
  const url = new URL(address, location.href)
  url.searchParams.set('part', part)
  const headers = known === 'yes' ? {} : identityHeaders()
  const response = await fetch(url, { signal, headers })
  if (!response.ok) throw new Error(`the page answered ${response.status}`)
  return new DOMParser().parseFromString(await response.text(), 'text/html').body
}

async function showList(address, { push = true } = {}) {
  listCall?.abort()
  listCall = new AbortController()
  area.classList.add('busy')
  try {
    const part = await fetchPart(address, 'list', listCall.signal)
    area.replaceChildren(...part.childNodes)
    area.classList.remove('busy')
    if (push) history.pushState(null, '', address)
    else history.replaceState(null, '', address)
  } catch (error) {
    if (error.name !== 'AbortError') location.assign(address)
  }
}

async function showMore(link) {
  link.setAttribute('aria-busy', 'true')
  try {
    const part = await fetchPart(link.href, 'list')
    const ideas = [...part.querySelectorAll('#ideas > .idea')]
    document.getElementById('ideas').append(...ideas)
    const next = part.querySelector('#more')
    if (next === null) link.remove()
    else link.replaceWith(next)
    // Keyboard focus moves to the first new idea.
    ideas[0]?.querySelector('h2 a').focus({ preventScroll: true })
  } catch {
    location.assign(link.href)
  }
}

function addressOf(form) {
  const query = new URLSearchParams(new FormData(form))
  for (const [name, value] of [...query]) if (value.trim() === '') query.delete(name)
  return query.size === 0 ? base : `${base}?${query}`
}

document.addEventListener('click', (event) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
  const link = event.target.closest('a')
  if (link === null) return
  handOn(link)
  if (area === null || !area.contains(link)) return
  if (link.id === 'more') {
    event.preventDefault()
    void showMore(link)
  } else if (link.closest('.tabs, .sort, .tag-bar') !== null) {
    event.preventDefault()
    const focused = link.href
    void showList(link.href).then(() => {
      syncSearch()
      area
        .querySelector(
          `a[href="${CSS.escape(new URL(focused).pathname + new URL(focused).search)}"]`,
        )
        ?.focus()
    })
  }
})

/** Copies the current tab and tag to the hidden fields of the search. */
function syncSearch() {
  const form = search?.form
  if (!form) return
  const shown = new URLSearchParams(location.search)
  for (const field of form.querySelectorAll('input[type=hidden]')) field.remove()
  for (const name of ['status', 'tag', 'sort']) {
    if (!shown.get(name)) continue
    const field = Object.assign(document.createElement('input'), { type: 'hidden', name })
    field.value = shown.get(name)
    form.append(field)
  }
  if (document.activeElement !== search) search.value = shown.get('search') ?? ''
}

let typing
search?.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(() => void showList(addressOf(search.form), { push: false }), typingWaitMs)
})

addEventListener('popstate', () => {
  if (area === null) return
  void showList(location.href, { push: false }).then(syncSearch)
})

addEventListener('keydown', (event) => {
  const writing = event.target.closest?.('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || writing || event.metaKey || event.ctrlKey || search === null) return
  event.preventDefault()
  search.focus()
})

// --- Writing ---

// `toggle` does not bubble, so the listener captures it.
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (target.matches('.reply') && target.open) target.querySelector('textarea').focus()
  },
  true,
)

function fieldsOf(form) {
  const fields = Object.fromEntries(new FormData(form))
  const { website, stamp, ...said } = fields
  for (const [name, value] of Object.entries(said)) if (value.trim() === '') delete said[name]
  // Only programs fill in the hidden field.
  return { said, isTrapped: website !== '' }
}

async function send(form, path) {
  const button = form.querySelector('[type=submit]')
  const problem = form.querySelector('.form-error')
  if (button.getAttribute('aria-busy') === 'true') return undefined
  const { said, isTrapped } = fieldsOf(form)
  problem.textContent = isTrapped ? tooFast : ''
  if (isTrapped) return undefined
  button.setAttribute('aria-busy', 'true')
  try {
    return await callApi('POST', path, said)
  } catch (error) {
    problem.textContent = refusalText(error, { failed, offline })
    return undefined
  } finally {
    button.removeAttribute('aria-busy')
  }
}

async function sendComment(form) {
  const idea = document.querySelector('.vote-button').dataset.idea
  const sent = await send(form, `/ideas/${idea}/comments`)
  if (sent === undefined) return
  try {
    const part = await fetchPart(location.href, 'comments')
    document.getElementById('comments').replaceChildren(...part.childNodes)
    location.hash = `comment-${sent.comment_id}`
  } catch {
    location.reload()
  }
}

async function sendIdea(form) {
  const sent = await send(form, '/ideas/suggest')
  if (sent === undefined) return
  // The author votes for the own idea.
  await callApi('POST', `/ideas/${sent.idea_id}/vote`).catch(() => undefined)
  location.assign(`${base}/ideas/${sent.idea_id}${handedOn()}`)
}

let similarCall
document.addEventListener('input', ({ target: title }) => {
  if (title.id !== 'title' || title.form?.id !== 'suggest-form') return
  clearTimeout(typing)
  typing = setTimeout(async () => {
    similarCall?.abort()
    similarCall = new AbortController()
    const address = `${base}/similar?title=${encodeURIComponent(title.value)}`
    try {
      const part = await fetchPart(address, 'similar', similarCall.signal)
      document.getElementById('similar').replaceChildren(...part.childNodes)
    } catch {
      // The form works without similar ideas.
    }
  }, typingWaitMs)
})

void showAsOwn()
