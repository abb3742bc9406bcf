import { expect, test } from 'vitest'
import { describeBrowser } from './describe-browser.ts'

// biome-ignore format: one agent a line
test.each([
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36', 'Chrome 120 on macOS'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0', 'Edge 120 on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1', 'Safari 17 on iOS'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0', 'Firefox 121 on Linux'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', 'unknown'],
  [null, 'unknown'],
  ['<script>'.repeat(100), '<script>'.repeat(8).slice(0, 60)],
])('%s', (agent, want) => {
  expect(describeBrowser(agent)).toBe(want)
})
