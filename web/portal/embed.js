/**
 * Shows the portal in a frame of another page, as tall as its content:
 *
 *   <script src="…/portal/embed.js" data-portal="{project_key}" async></script>
 *
 * `data-token` is the token of the signed-in user, `data-path` the first page (`/suggest`).
 */
const script = document.currentScript
const { portal, token, path = '', title = 'Ideas' } = script.dataset
const { origin, pathname } = new URL(script.src)
const home = `${origin}${pathname.replace(/\/embed\.js$/, '')}/${encodeURIComponent(portal)}`
const frame = document.createElement('iframe')
frame.title = title
frame.style.cssText = 'display:block;width:100%;min-height:30rem;border:0'
frame.src = `${home}${path}${token === undefined ? '' : `#token=${encodeURIComponent(token)}`}`
addEventListener('message', ({ source, origin: from, data }) => {
  if (source !== frame.contentWindow || from !== origin || data?.type !== 'sluice:height') return
  const height = Number(data.height)
  if (height > 0 && height < 100_000) frame.style.height = `${height}px`
})
// A script in the head has no visible place.
if (script.closest('head') === null) script.after(frame)
else addEventListener('DOMContentLoaded', () => document.body.append(frame))
