export const SLACK_TOKEN = 'xoxb-000000000000-synthetic';
export const APP_TOKEN = 'xapp-1-A0000APP-synthetic';
export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const SLACK_CHANNEL = 'C0000TEST';
export const SLACK_TEAM = 'T0000TEAM';
export const BOT_USER = 'U0000BOT';
