import type { BuiltinPattern } from './pattern.ts';

/** Text that speaks to the model in place of its user or operator. Catches plain forms; a determined author avoids them. */
export const promptInjection: readonly BuiltinPattern[] = [
  {
    name: 'ignore_instructions',
    regex:
      "(?i:\\b(?:ignore|disregard|forget|override|bypass|discard|skip|do not follow|don't follow|stop following)\\b[^.\\n]*\\b(?:previous|prior|above|earlier|preceding|initial|original|former|foregoing|your|system|any other|all other)\\b[^.\\n]*\\b(?:instructions?|prompts?|directives?|guidelines|guardrails|system message|programming|training|commands|safety (?:rules|polic(?:y|ies)|measures))\\b)",
    why: 'Asks to set instructions aside',
  },
  {
    name: 'ignore_prompt',
    regex:
      '(?i:\\b(?:ignore|disregard|forget|override|bypass|discard)\\b (?:all )?(?:of )?(?:the |these |those |any )?(?:system (?:prompt|message|instructions?)|instructions? (?:above|before this|you (?:were|have been|got)))\\b)',
    why: 'Asks to set the system prompt aside',
  },
  {
    name: 'ignore_everything',
    regex:
      "(?i:\\b(?:ignore|disregard|forget)\\b (?:all|everything|anything)\\b[^.\\n]*\\b(?:you (?:were|have been|know|'ve been)|(?:was )?(?:said|told|written|stated) (?:before|above|so far|previously)|(?:above|before) this(?: line| message| point)?|instructions?|your rules)\\b)",
    why: 'Asks to forget what came before',
  },
  {
    name: 'new_instructions',
    regex:
      '(?i:\\b(?:your|here are your|these are your|follow these) (?:new|updated|real|actual|true) (?:system )?(?:instructions?|prompt|directives?|objective)\\b|(?:^|[\\n.*#>\\]] *)(?:new|updated|revised|urgent|secret|hidden) (?:system )?(?:instructions?|prompt|directives?) ?(?:for (?:the )?(?:ai|assistant|model|agent))? ?:)',
    why: 'Claims to bring new instructions',
  },
  {
    name: 'new_identity',
    regex:
      '(?i:\\byou are (?:now|no longer|henceforth|from now on)\\b[^.\\n]*\\b(?:dan\\b|unrestricted|unfiltered|uncensored|jailbroken|developer mode|root|admin(?:istrator)? mode|bound by|(?:without|no|free of|free from|ignoring) (?:any )?(?:restrictions?|rules|limits?|limitations|filters?|guidelines|constraints|ethic\\w*|polic(?:y|ies)))|\\b(?:enter|enable|activate|switch to|you are in) (?:developer|debug|god|dan|jailbreak|unrestricted|maintenance|sudo) mode\\b[^.\\n]*\\b(?:restrictions?|rules|polic(?:y|ies)|filters?|safety|guidelines)\\b)',
    why: 'Gives the model another identity without rules',
  },
  {
    name: 'pretend_no_rules',
    regex:
      '(?i:\\b(?:act|behave|respond|answer|pretend|reply|roleplay|operate|continue)\\b[^.\\n]*\\b(?:(?:no|without(?: any)?|free (?:of|from)|ignoring(?: all| any| your)?) (?:restrictions|rules|filters|guidelines|constraints|safety|ethic\\w*|content polic(?:y|ies)|moral\\w*|censorship)))',
    why: 'Asks to act as if there were no rules',
  },
  {
    name: 'hide_from_user',
    regex:
      "(?i:\\b(?:do not|don't|never|must not|without|avoid|refrain from)\\b[^.\\n]*\\b(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|disclos(?:e|ing)|let(?:ting)?|show(?:ing)?|ask(?:ing)?)\\b[^.\\n]*\\b(?:the )?(?:user|human|operator)s?\\b[^.\\n]*\\b(?:this|that you|about (?:it|this|these|the (?:tool|file|instruction|step|request|change|action)s?)|know|instructions?|step|first|permission|confirmation|because|since|as (?:it|this|they))\\b|\\b(?:keep|do) (?:this|it|these)\\b[^.\\n]*\\b(?:secret|hidden|silently|quietly|confidential)\\b[^.\\n]*\\b(?:user|human|operator)s?\\b)",
    why: 'Asks to keep something from the user',
  },
  {
    name: 'reveal_prompt',
    regex:
      '(?i:\\b(?:reveal|print|show|repeat|output|display|leak|dump|tell me|disclose|write out|recite|give me|summari[sz]e|translate)\\b[^.\\n]*\\b(?:your|the|its)\\b[^.\\n]*\\b(?:system prompt|system message|initial (?:instructions|prompt)|hidden (?:instructions|prompt|rules)|developer (?:message|prompt|instructions)|(?:instructions|text|words|prompt) (?:above|before this|you were given))\\b)',
    why: 'Asks for the hidden prompt',
  },
  {
    name: 'chat_markup',
    regex:
      '<\\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|begin_of_text)\\|>|\\[/?INST\\]|<</?SYS>>|(?i:</?(?:system[-_ ]?(?:prompt|instructions?|override|message|reminder)|admin[-_ ]?(?:override|instructions?)|assistant[-_ ]?instructions?|hidden[-_ ]?instructions?)>)',
    why: "Marks of a model's own conversation format, or tags that imitate them",
  },
  {
    name: 'important_tag',
    regex: '<(?:IMPORTANT|CRITICAL|SYSTEM|INSTRUCTIONS?|SECRET|HIDDEN)>',
    why: 'Tags that poisoned tool descriptions hide behind',
  },
  {
    name: 'role_line',
    regex:
      '(?i:(?:^|\\n)\\s*(?:#{1,4} ?)?(?:\\*\\*)?(?:system|developer|admin|operator)(?:\\*\\*)? ?(?:message|prompt|override|note|notice)? ?: ?(?:\\*\\*)? ?(?:you (?:are|must|should|will|have)|ignore|disregard|override|the (?:user|assistant) (?:has|must|is)|from now on|new (?:instructions?|rules?)|always|do not|assistant (?:must|should)))',
    why: 'A line that plays the system message',
  },
  {
    name: 'tool_precondition',
    regex:
      '(?i:\\b(?:before|prior to|when|whenever|after|every time)\\b[^.\\n]*\\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?)\\b[^.\\n]*\\b(?:this|any|other|another|the)\\b[^.\\n]*\\b(?:tools?|functions?)\\b[^.\\n]*\\b(?:(?:you|the (?:assistant|model|agent|ai)) (?:must|should|need to|have to|will|shall)|first|always|otherwise)\\b[^.\\n]*\\b(?:read|send|call|access|open|fetch|include|pass|provide|forward|execute|bcc)\\b)',
    why: 'A tool description that orders other actions',
  },
  {
    name: 'boundary_claim',
    regex:
      "(?i:[-=#*_<\\[]{2,} ?(?:end|begin(?:ning)?|start) of (?:the )?(?:user(?:'s)? |system |new |untrusted |retrieved |tool )?(?:input|prompt|query|document|context|message|instructions?|conversation|output|data)\\b)",
    why: 'Claims that the data end here and the prompt goes on',
  },
  {
    name: 'hidden_tag_characters',
    regex: '[\\x{E0020}-\\x{E007E}]{10,}',
    why: 'Text in Unicode tag characters, which nobody sees; flags have at most six',
  },
];
