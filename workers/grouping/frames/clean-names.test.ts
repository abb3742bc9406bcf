import { describe, expect, test } from 'vitest'
import { cleanFile } from './clean-file.ts'
import { cleanFunction } from './clean-function.ts'
import { cleanModule } from './clean-module.ts'
import type { PlatformFamily } from './platform-family.ts'

// biome-ignore format: the columns are the point
const functions: readonly (readonly [family: PlatformFamily, raw: string, want: string])[] = [
  ['javascript', 'Cart.prototype.addItem', 'addItem'],
  ['javascript', 'Object.<anonymous>', ''],
  ['javascript', 'async Cart.load', 'load'],
  ['javascript', 'new Cart', 'Cart'],
  ['javascript', 'Cart.add [as addItem]', 'add'],
  ['javascript', '?', ''],
  ['javascript', 'Anonymous function', ''],
  ['javascript', 'outer/<', ''],
  ['jvm', 'lambda$save$0', ''],
  ['jvm', 'onCreate$lambda$3', 'onCreate'],
  ['php', 'class@anonymous\u0000/srv/app.php:12$0::run', 'class@anonymous::run'],
  ['php', 'App\\{closure:/srv/app.php:12}', 'App\\{closure}'],
  ['ruby', 'block in save', 'block'],
  ['ruby', 'block (2 levels) in save', 'block'],
  ['ruby', '_app_views_show_html_erb___123456_789', '_app_views_show_html_erb'],
  ['csharp', '<AddItem>d__12.MoveNext', 'AddItem'],
  ['csharp', '<Run>b__0_1', 'Run.lambda'],
  ['csharp', '<Run>g__Inner|1_0', 'Inner'],
  ['native', 'void shop::Cart<int, std::map<a, b>>::add(int, char const*) const', 'shop::Cart<T>::add'],
  ['native', 'shop::(anonymous namespace)::add(int)', 'shop::add'],
  ['native', 'shop::run(int)::{lambda(int)#1}::operator()(int) const', 'shop::run::lambda::operator()'],
  ['native', 'bool shop::operator<(Cart const&, Cart const&)', 'shop::operator<'],
  ['native', 'shop::operator<<(std::ostream&, Cart)', 'shop::operator<<'],
  ['native', 'shop::add::h0123456789abcdef', 'shop::add'],
  ['native', 'shop::add::{{closure}}', 'shop::add::{closure}'],
  ['native', '<shop::Cart as core::ops::Drop>::drop', 'shop::Cart::drop'],
  ['native', '<impl shop::Add for shop::Cart>::add', 'shop::Cart::add'],
  ['native', 'add@12', 'add'],
  ['native', 'add [clone .isra.0]', 'add'],
  ['native', '-[Cart addItem:count:]', '-[Cart addItem:count:]'],
  ['native', '__31-[Cart addItem:]_block_invoke_2', '-[Cart addItem:]_block_invoke'],
  ['native', '<redacted>', ''],
  ['python', '<lambda>', '<lambda>'],
  ['go', '(*Cart).Add.func1', '(*Cart).Add.func1'],
]

test.each(functions)('%s function %s', (family, raw, want) => {
  expect(cleanFunction(family, raw)).toBe(want)
})

// biome-ignore format: the columns are the point
const files: readonly (readonly [raw: string, want: string])[] = [
  ['/srv/app/Cart.py', 'cart.py'],
  ['C:\\app\\Cart.cs', 'cart.cs'],
  ['https://a.example/static/main.4f3c2a1b.js?v=1#x', 'main.*.js'],
  ['chunk-ABCD1234.mjs', 'chunk-*.mjs'],
  ['index-DkQw9xYz.css', 'index-*.css'],
  ['123.4f3c2a1b99.chunk.js', '123.*.chunk.js'],
  ['4f3c2a1b9d.js', '*.js'],
  ['oauth2client.py', 'oauth2client.py'],
  ['components.js', 'components.js'],
  ['my-component.test.js', 'my-component.test.js'],
  ['<anonymous>', ''],
  ['[native code]', ''],
  ['/srv/app/', ''],
]

test.each(files)('file %s', (raw, want) => {
  expect(cleanFile(raw)).toBe(want)
})

describe('modules', () => {
  // biome-ignore format: the columns are the point
  const modules: readonly (readonly [family: PlatformFamily, raw: string, want: string])[] = [
    ['jvm', 'app.Cart', 'app.Cart'],
    ['jvm', 'app.Cart$Item', 'app.Cart$Item'],
    ['jvm', 'app.Cart$$EnhancerBySpringCGLIB$$1a2b', 'app.Cart$<generated>'],
    ['jvm', 'app.Cart$$SpringCGLIB$$0', 'app.Cart$<generated>'],
    ['jvm', 'app.Cart_$$_jvst3f2_1', 'app.Cart$<generated>'],
    ['jvm', 'app.Cart$HibernateProxy$Xy1', 'app.Cart$<generated>'],
    ['jvm', 'com.sun.proxy.$Proxy12', 'com.sun.proxy.$Proxy'],
    ['jvm', 'sun.reflect.GeneratedMethodAccessor123', 'sun.reflect.GeneratedMethodAccessor'],
    ['jvm', 'app.core$fn__123', 'app.core$fn'],
    ['csharp', 'Shop.Cart+<AddItem>d__12', 'Shop.Cart'],
    ['csharp', 'Shop.Cart+<>c__DisplayClass1_0', 'Shop.Cart'],
    ['javascript', 'static/main.4f3c2a1b', 'static/main.*'],
    ['javascript', 'shop/Cart', 'shop/Cart'],
    ['python', 'shop.cart', 'shop.cart'],
  ]
  test.each(modules)('%s %s', (family, raw, want) => {
    expect(cleanModule(family, raw)).toBe(want)
  })
})
