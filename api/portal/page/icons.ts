import { type Html, html } from './html.ts'

const paths = {
  up: 'M12 6.5 5.5 14h13z',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4.5 4.5',
  comment:
    'M20 11.5a7.5 7.5 0 0 1-7.5 7.5c-1.3 0-2.500-.3-3.600-.9L4.500 19.500l1.400-4.100A7.500 7.500 0 1 1 20 11.500z',
  back: 'M14.5 6l-6 6 6 6',
  close: 'M6.5 6.5l11 11m0-11-11 11',
  feed: 'M5 5a14 14 0 0 1 14 14M5 11a8 8 0 0 1 8 8M6 18h.01',
  check: 'M5 12.5 9.5 17 19 7.5',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 4v4.5l3 2',
  person: 'M12 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM5 19.5c.8-3.4 3.6-5 7-5s6.2 1.6 7 5',
  merge: 'M7 5v6a4 4 0 0 0 4 4h6m0 0-3.5-3.5M17 15l-3.5 3.5',
} as const
export type IconName = keyof typeof paths

/** An icon in the colour of the text. Screen readers skip it, because a word is next to each. */
export function icon(name: IconName): Html {
  return html`<svg class="icon icon-${name}" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false"><path d="${paths[name]}"/></svg>`
}
