/**
 * Calls the public API with the identity of the visitor: an id that this browser keeps, or a token
 * that the product's own site signed and added to the URL of this page (`#token=…` in a frame,
 * `?token=…` elsewhere).
 */
const { base, api, refusals } = document.body.dataset
const sentences = new Map(Object.entries(JSON.parse(refusals)))
const yearSeconds = 31_536_000
let own

/** `kept`: whether the visitor was here before, so that there may be own votes. */
export function identity() {
  own ??= findIdentity()
  return own
}

function findIdentity() {
  const { token: sent, reader: handed } = takeFromAddress()
  const token = sent ?? stored('sluice_token')
  if (token) keep('sluice_token', token)
  const known = stored('sluice_reader') ?? handed
  const reader = known ?? randomId()
  if (!known) keep('sluice_reader', reader)
  // A portal without end-user auth ignores tokens and identifies visitors by their id.
  const fields = token ? { enduser_id: reader, token } : { enduser_id: reader }
  return { fields, kept: Boolean(token || known) }
}

/**
 * Fragment with the identity for the next page, in a frame of another site that can store neither
 * cookies nor local storage; empty elsewhere. Browsers do not send fragments to servers.
 */
export function handedOn() {
  if (window.parent === window || stored('sluice_reader')) return ''
  const { enduser_id: reader, token } = identity().fields
  return `#${new URLSearchParams(token ? { reader, token } : { reader })}`
}

/** Headers with the identity, for pages of the server that get no cookies. */
export function identityHeaders() {
  const { enduser_id, token } = identity().fields
  const bearer = token ? { authorization: `Bearer ${token}` } : {}
  return { 'x-sluice-reader': enduser_id, ...bearer }
}

function takeFromAddress() {
  const hash = new URLSearchParams(location.hash.slice(1))
  // Only in a frame: elsewhere a link could make visitors write under an id that its author knows.
  const reader = window.parent === window ? null : hash.get('reader')
  const query = new URLSearchParams(location.search)
  const inHash = hash.get('token') ?? reader
  const token = hash.get('token') ?? query.get('token')
  if (token === null && reader === null) return {}
  query.delete('token')
  const rest = query.size === 0 ? '' : `?${query}`
  history.replaceState(
    null,
    '',
    `${location.pathname}${rest}${inHash === null ? location.hash : ''}`,
  )
  const isReader = reader !== null && /^[A-Za-z0-9-]{8,64}$/.test(reader)
  return { token: token ?? undefined, reader: isReader ? reader : undefined }
}

function stored(name) {
  const cookie = document.cookie.split('; ').find((part) => part.startsWith(`${name}=`))
  if (cookie !== undefined) return cookie.slice(name.length + 1)
  try {
    return storageFor(name).getItem(`${base} ${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/**
 * A frame of another site often allows only one of cookie and local storage, or neither: then the
 * value lasts as long as this page.
 */
function keep(name, value) {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const age = name === 'sluice_reader' ? `; Max-Age=${yearSeconds}` : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the other way to set one is not in all browsers yet.
  document.cookie = `${name}=${value}; Path=${base}; SameSite=Lax${age}${secure}`
  try {
    storageFor(name).setItem(`${base} ${name}`, value)
  } catch {
    // Private windows may refuse it.
  }
}

function storageFor(name) {
  return name === 'sluice_token' ? sessionStorage : localStorage
}

/** Used because crypto.randomUUID needs https. */
function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws the error that `refusalText` explains. */
export async function callApi(method, path, body) {
  const { fields } = identity()
  let response
  if (method === 'POST') {
    response = await fetch(`${api}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...fields }),
    })
  } else {
    const mark = path.includes('?') ? '&' : '?'
    const { token, ...query } = fields
    // In a header, the token is kept out of logs and histories.
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    response = await fetch(`${api}${path}${mark}${new URLSearchParams(query)}`, { method, headers })
  }
  const reply = await response.json()
  if (response.ok) return reply
  const limit = response.headers.get('ratelimit-limit') ?? ''
  throw Object.assign(new Error(reply.error), { isRefusal: true, reply, limit })
}

/** The sentence of the page for a refusal of the API, or the one for a missing connection. */
export function refusalText(error, { failed, offline }) {
  if (!error.isRefusal) return navigator.onLine ? failed : offline
  const { code, details } = error.reply
  const sentence = sentences.get(`${code}:${details?.[0]?.field}`) ?? sentences.get(code) ?? failed
  return sentence.replace('{count}', error.limit)
}
