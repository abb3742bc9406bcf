/** Line icons on a grid of 16 by 16, drawn with the color of the text. */

// biome-ignore format: one icon a line
const paths = {
  alert: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  arrowLeft: 'M13 8H3M7 4 3 8l4 4',
  arrowRight: 'M3 8h10M9 4l4 4-4 4',
  arrowUp: 'M8 13V3M4 7l4-4 4 4',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 14h2',
  block: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4',
  bolt: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  bookmark: 'M4.5 2.5h7v11L8 10.8l-3.5 2.7z',
  bug: 'M5 7a3 3 0 0 1 6 0v3a3 3 0 0 1-6 0zM8 7v6M2.5 8.5H5M11 8.5h2.5M3 4.5l2.2 1.7M13 4.5l-2.2 1.7M3 12.5l2.2-1.7M13 12.5l-2.2-1.7',
  chart: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevronDown: 'M4 6l4 4 4-4',
  chevronLeft: 'M10 4L6 8l4 4',
  chevronRight: 'M6 4l4 4-4 4',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2L10.2 10',
  close: 'M4 4l8 8M12 4l-8 8',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  comment: 'M2.5 3.5h11v7.5H8L5 13.5V11H2.5z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  edit: 'M3 13l.6-2.6 7.3-7.3 2 2-7.3 7.3z',
  external: 'M9 3h4v4M13 3 7.5 8.5M11.5 9.5v4h-9v-9h4',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z',
  filter: 'M2 4h12M4.5 8h7M6.5 12h3',
  flag: 'M4 14V2.5M4 3h8l-1.8 2.8L12 8.5H4',
  gauge: 'M2.5 11.5a5.5 5.5 0 1 1 11 0M8 11.5 10.5 7',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c2 1.8 2.6 4 2.6 6S10 12.2 8 14c-2-1.8-2.6-4-2.6-6S6 3.8 8 2z',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.3a1.8 1.8 0 1 1 2.5 1.8c-.5.2-.7.6-.7 1.1M8 11.2v.1',
  inbox: 'M2.5 9 4 3.5h8L13.5 9v4h-11zM2.5 9H6l.8 1.5h2.4L10 9h3.5',
  key: 'M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8.3 7.7 3 13v.5h2V12h1.5v-1.5L8 9',
  layers: 'M8 2.5 14 6 8 9.5 2 6zM2.5 9 8 12.5 13.5 9',
  lightbulb: 'M5.8 10.2a4 4 0 1 1 4.4 0V12H5.8zM6.5 14h3',
  link: 'M6.5 9.5l3-3M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  logout: 'M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6',
  mail: 'M2 3.5h12v9H2zM2.5 4 8 8.5 13.5 4',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  merge: 'M4 2.5v3c0 2 4 2.5 4 4.5v3.5M12 2.5v3c0 2-4 2.5-4 4.5',
  minus: 'M3 8h10',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  people: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13.2c.3-2.6 2-4 4.2-4s3.9 1.4 4.2 4M10.5 3.2a2.2 2.2 0 0 1 0 4.2M11.7 9.5c1.4.5 2.3 1.7 2.5 3.7',
  play: 'M5 3l7.5 5L5 13z',
  plus: 'M8 3v10M3 8h10',
  pulse: 'M1.5 8.5H5l1.8-5 2.6 9 1.8-4h3.3',
  refresh: 'M13.3 6.5A5.5 5.5 0 0 0 3 5.5M2.7 9.5A5.5 5.5 0 0 0 13 10.5M3 2.5v3h3M13 13.5v-3h-3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2',
  send: 'M2 8 14 2.5 10.5 14 7.5 9z',
  settings: 'M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4',
  shield: 'M8 1.8 13 3.7v4c0 3-2 5.2-5 6.5-3-1.3-5-3.5-5-6.5v-4z',
  star: 'M8 2l1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  stop: 'M4 4h8v8H4z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  tag: 'M2.5 2.5h5.5l5.5 5.5-5.5 5.5-5.5-5.5zM5.3 5.3h.1',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  triage: 'M2.5 3.5h11M2.5 3.5 6.5 9v4l3-1.5V9l4-5.5',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a3.7 3.7 0 0 1 0 7.5H6',
  upload: 'M8 11V3M4.5 6.5 8 3l3.5 3.5M2.5 13.5h11',
  webhook: 'M6 6.5a2.3 2.3 0 1 1 3.4.3l2 3.6M8 5.2 5.8 9M11.5 9a2.3 2.3 0 1 1-1.9 3.5H5.9M6.2 11.2a2.3 2.3 0 1 1-2.6-2.1',
} as const

export type IconName = keyof typeof paths

/** Decoration: the text beside it, or the label of its button, says what it means. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}

export const iconNames = Object.keys(paths) as readonly IconName[]
