import { expect, test } from 'vitest'
import { compilePath, isSameFile } from './match-paths.ts'

// biome-ignore format: the columns are the point
test.each([
  ['src/cart.ts',                          'src/cart.ts',                 true],
  ['/app/src/cart.ts',                     'src/cart.ts',                 true],
  ['/app/dist/src/cart.js',                'packages/shop/src/cart.ts',   true],
  ['webpack:///./src/cart.tsx?1a2b',       'src/cart.tsx',                true],
  ['app:///src/cart.js',                   'src/cart.mjs',                true],
  ['https://shop.test/assets/cart.js',     'web/assets/cart.js',          true],
  ['C:\\shop\\Cart\\Cart.cs',              'Cart/Cart.cs',                true],
  ['com/acme/shop/Cart.java',              'app/src/main/java/com/acme/shop/Cart.java', true],
  ['shop/views.py',                        'shop/views.py',               true],
  ['/srv/main.py',                         'main.py',                     true],
  ['index.js',                             'index.js',                    true],
  ['/app/src/routes/index.js',             'index.js',                    false],
  ['index.js',                             'packages/a/index.js',         false],
  ['/app/src/cart.ts',                     'src/card.ts',                 false],
  ['/app/src/cart.ts',                     'lib/cart.ts',                 false],
  ['/app/src/cart.py',                     'src/cart.rb',                 false],
  ['/app/other-src/cart.ts',                   'src/cart.ts',                 false],
])('%s and %s: %s', (frame, file, want) => {
  expect(isSameFile(compilePath(frame)!, compilePath(file)!)).toBe(want)
})

test.each(['', '/', '<anonymous>', '?x'])('%j is no path', (text) => {
  expect(compilePath(text)).toBeUndefined()
})
