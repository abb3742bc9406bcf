/** Has something for most rules and filters. */
export const sampleEvent = JSON.stringify(
  {
    message: 'Login of EMP-123456 failed',
    release: 'shop@1.4.0',
    user: { id: '7', ip_address: '192.0.2.7' },
    extra: { password: 'hunter2', national_id: 'AB123', token_count: 3 },
    request: {
      url: 'http://localhost:3000/?access_token=abc',
      headers: {
        Cookie: 'sid=1',
        'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      },
    },
  },
  null,
  2,
)
