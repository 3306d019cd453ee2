import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { SLACK_PATH } from '../src/http/slack.ts';
import { allScopes } from '../src/slack/setup.ts';

const HELP = `Prints the manifest of a Slack app for TARSy.

  npm run slack:manifest                                  the app uses Socket Mode
  npm run slack:manifest -- https://tarsy.example.com     Slack calls TARSy at this address

Create the app at https://api.slack.com/apps → Create New App → From a manifest.
`;

/** Returns the manifest of the app. @param address address of TARSy that Slack calls; `null` for Socket Mode */
export function slackManifest(address: string | null): object {
  const url = address === null ? null : `${address.replace(/\/+$/, '')}${SLACK_PATH}`;
  const requestUrl = url === null ? {} : { request_url: url };
  const command = {
    command: '/tarsy',
    description: 'Investigate a problem',
    usage_hint: 'what is wrong, and where',
    should_escape: false,
  };
  return {
    display_information: {
      name: 'TARSy',
      description: 'Investigates alerts and answers questions about them',
    },
    features: {
      bot_user: { display_name: 'TARSy', always_online: true },
      slash_commands: [{ ...command, ...(url === null ? {} : { url }) }],
    },
    oauth_config: { scopes: { bot: allScopes() } },
    settings: {
      event_subscriptions: { ...requestUrl, bot_events: ['app_mention', 'reaction_added'] },
      interactivity: { is_enabled: true, ...requestUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: url === null,
      token_rotation_enabled: false,
    },
  };
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const [address = null] = positionals;
  if (values.help) process.stdout.write(HELP);
  else if (positionals.length > 1 || (address !== null && !/^https:\/\/[^/\s]+/.test(address))) {
    process.stderr.write(`Expected at most one address that begins with https://.\n\n${HELP}`);
    process.exitCode = 2;
  } else process.stdout.write(stringify(slackManifest(address)));
}
