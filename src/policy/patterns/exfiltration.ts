import type { BuiltinPattern } from './pattern.ts';

/** Ways to carry data out: destinations made for it, commands that send credentials, instructions to do so. */
export const exfiltration: readonly BuiltinPattern[] = [
  {
    name: 'collector_site',
    regex:
      '(?i:\\b(?:[a-z0-9-]+\\.)*(?:webhook\\.site|requestbin\\.(?:com|net)|(?:m|x)\\.pipedream\\.net|interact\\.sh|oast(?:ify)?\\.(?:com|fun|pro|live|site|online|me)|burpcollaborator\\.net|requestcatcher\\.com|beeceptor\\.com|hookbin\\.com|dnslog\\.cn|ceye\\.io|transfer\\.sh|0x0\\.st|termbin\\.com|file\\.io|gofile\\.io|paste\\.ee)/[\\w?=&%./$({-])',
    why: 'URLs of sites that collect whatever is sent to them; the name without a path passes',
  },
  {
    name: 'collector_host',
    regex:
      '(?i:\\b[a-z0-9-]{4,}\\.(?:oast(?:ify)?\\.(?:com|fun|pro|live|site|online|me)|interact\\.sh|burpcollaborator\\.net|dnslog\\.cn|ceye\\.io|requestcatcher\\.com|pipedream\\.net)\\b)',
    why: 'Host names that were made to receive',
  },
  {
    name: 'image_with_data',
    regex:
      '!\\[[^\\]\\n]*\\]\\(\\s*<?https?://[^)\\s]+[?&/#=](?:[^)\\s=&]*=)?(?:\\{\\{?|\\$\\{|%7B|<|\\[)|!\\[[^\\]\\n]*\\]\\(\\s*<?https?://[^)\\s?]+\\?(?i:[^)\\s]*&)?(?i:q|d|data|c|content|s|secret|msg|text|payload|leak|exfil|p|info|chat|history|token|key|summary)=[^)\\s&]{16,}',
    why: 'A picture whose address carries data: a client that shows it sends them',
  },
  {
    name: 'send_file',
    regex:
      '(?i:\\b(?:curl|wget|http|httpie)\\b[^\\n]*(?:-d|--data(?:-binary|-raw|-urlencode)?|-F|--form|-T|--upload-file|--post-file|--body-file)[ =]?["\']?(?:[\\w.-]+=)?[@<]?[^\\s"\']*(?:\\.ssh/|\\.aws/|\\.env\\b|id_(?:rsa|ed25519|ecdsa)|credentials|/etc/(?:passwd|shadow)|\\.kube/|\\.npmrc|\\.netrc|\\.gnupg|\\.git-credentials|mcp\\.json))',
    why: 'Sends a file that holds credentials',
  },
  {
    name: 'copy_credentials',
    regex:
      '\\b(?:scp|rsync|sftp)\\b[^\\n]*(?:\\.ssh/?|\\.aws/?|\\.kube/?|\\.gnupg/?|\\.netrc|\\.env|id_(?:rsa|ed25519|ecdsa))[^\\n]*\\s[\\w.@-]+:',
    why: 'Copies credentials to another host',
  },
  {
    name: 'script_sends_cookies',
    regex:
      '(?:new Image\\(\\)\\.src|fetch\\(|sendBeacon\\(|XMLHttpRequest|location(?:\\.href)?\\s*=)[^\\n]*document\\.cookie',
    why: 'A script that sends the cookies of a page',
  },
  {
    name: 'pipe_to_network',
    regex:
      '\\b(?:cat|tar|env|printenv|base64|zip|gzip|history|find|grep|set|mysqldump|pg_dump|sqlite3)\\b[^\\n;]*\\|\\s*(?:curl\\b[^\\n|]*(?:-d|--data\\S*|-F|-T|--upload-file)|wget\\b[^\\n|]*--post|(?:nc|ncat|netcat)\\s+\\S|socat\\b|openssl\\s+s_client|ssh\\s+\\S+\\s+["\']?cat\\s*>)',
    why: 'Pipes files or variables to another host',
  },
  {
    name: 'substituted_into_url',
    regex:
      '(?i:\\b(?:curl|wget|fetch|nslookup|dig|host|ping)\\b[^\\n]*(?:\\$\\(|`)\\s*(?:cat|env|printenv|base64|whoami|hostname|id|tar|head|xxd|echo\\s+\\$[A-Z_]*(?:KEY|TOKEN|SECRET|PASSWORD)))',
    why: 'Puts what a command prints into an address or a name to look up',
  },
  {
    name: 'variable_into_url',
    regex:
      '(?i:\\b(?:curl|wget)\\b[^\\n]*https?://[^\\s"\']*[?&/=]\\$\\{?[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)\\b)',
    why: 'Puts a secret variable into an address',
  },
  {
    name: 'instruction_to_send',
    regex:
      '(?i:\\b(?:send|post|upload|forward|exfiltrate|leak|transmit|e-?mail|deliver|submit|copy)(?:s|ing)?\\b[^.\\n]*(?:\\.env\\b(?: file)?|\\b(?:api[ _-]?keys?|passwords?|credentials?|secrets?|access tokens?|private keys?|ssh keys?|environment variables|(?:conversation|chat|message) (?:history|log|contents?)|system prompt|id_rsa|source code|customer (?:data|records|list))\\b)[^.\\n]*\\b(?:to|at|via)\\b[^.\\n]*(?:https?://|[\\w.+-]+@[\\w-]+\\.\\w|(?:the )?(?:following|this|my|our|external|attacker\\S*) (?:url|address|endpoint|server|webhook|e-?mail|site)|webhook))',
    why: 'Tells a model to send secrets somewhere',
  },
  {
    name: 'instruction_to_embed',
    regex:
      '(?i:\\b(?:include|append|put|embed|insert|encode|pass|attach|add|place)(?:s|ing)?\\b[^.\\n]*\\b(?:contents?|values?|output|text)\\b[^.\\n]*(?:\\.env\\b|id_rsa|id_ed25519|\\.ssh\\b|\\.aws\\b|credentials?\\b|mcp\\.json|\\.cursor\\b|api[ _-]?keys?|access tokens?|passwords?|system prompt|chat history|conversation)[^.\\n]*\\b(?:in|into|as|to|at|inside)\\b[^.\\n]*\\b(?:url|link|query|parameter|param|argument|field|image|request|header|comment|side ?note|footnote)\\b)',
    why: 'Tells a model to put secrets where they travel on',
  },
  {
    name: 'instruction_to_read_secrets',
    regex:
      '(?i:\\b(?:read|open|fetch|get|load|access|retrieve|cat)\\b[^.\\n]*(?:~/|\\$HOME/|/root/|/home/\\S+/|%USERPROFILE%\\\\)?(?:\\.ssh/id_\\w+|\\.aws/credentials|\\.cursor/mcp\\.json|\\.kube/config|\\.netrc|\\.git-credentials|\\.npmrc|/etc/shadow)[^.\\n]*\\b(?:pass|send|include|provide|put|return|paste|post|upload|supply|forward|attach|encode|append)(?:s|ing|ed)?\\b)',
    why: 'Tells a model to read credentials and hand them over',
  },
];
