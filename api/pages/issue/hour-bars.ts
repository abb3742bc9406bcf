import { type Html, html } from '../../portal/page/html.ts'

const barWidth = 10
const height = 36
/** Hours with events are visible beside much larger ones. */
const barHeightMin = 2

/** Events per hour, oldest first, as a small chart. */
export function hourBars(counts: readonly number[]): Html {
  if (counts.every((count) => count === 0)) {
    return html`<p class="soft">No events in the last ${counts.length} hours</p>`
  }
  const most = Math.max(1, ...counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const bars = counts.map((count, index) => {
    const size = count === 0 ? 1 : Math.max(barHeightMin, Math.round((count / most) * height))
    return html`<rect x="${index * barWidth}" y="${height - size}" width="${barWidth - 2}" height="${size}" fill="currentColor"${count === 0 ? html` opacity=".3"` : null}/>`
  })
  const label = `Events per hour of the last ${counts.length} hours: ${total} in total, at most ${most} in an hour`
  return html`<svg class="bars" role="img" aria-label="${label}" viewBox="0 0 ${counts.length * barWidth - 2} ${height}" preserveAspectRatio="none">${bars}</svg>
<p class="soft">${total} ${total === 1 ? 'event' : 'events'} in the last ${counts.length} hours</p>`
}
