"""English: what people say to a dialogue system, without apostrophes (the tokens have none)."""

from itertools import product

from dialogue.nlu.text.lexicons.lexicon import (
    ActPhrases,
    Calendar,
    CueWords,
    Lexicon,
    Numerals,
    combine_phrases,
    number_words,
    parse_phrases,
    parse_words,
)

SHORT_SUBJECTS = ("i", "we", "you", "they", "he", "she", "it", "there")
SHORT_VERBS = (
    *("do", "does", "did", "am", "is", "are", "was", "were"),
    *("have", "has", "had", "can", "could", "will", "would", "should"),
)

PRAISE = combine_phrases(
    "that is, thats, this is, that would be, that will be, it is, its, that sounds, this sounds, it sounds, sounds,"
    "that looks, looks, everything is, everything looks, everything sounds, that is all, thats all, it all looks,"
    "that all looks, that all sounds, it is all, its all, the details are, all details are, all the details are",
    "correct, right, perfect, great, good, fine, okay, ok, awesome, ideal, excellent, wonderful, accurate, cool,"
    "amazing, lovely, fantastic, very good, really good, just right, just fine, just perfect, what i want",
) | parse_phrases("perfect, great, good, fine, awesome, excellent, wonderful, fantastic, super, cool, ideal, nice one")

ACTS = ActPhrases(
    yes=parse_phrases(
        "that looks good, this looks good, it looks good, that sounds good, sounds good to me, looks fine",
        "that looks fine, that works for me, looks good to me, that looks right, thats perfect, thats great",
        "thats good, all fine, yes, y, yep, yeah, yup, ya, yess, yes yes, sure, sure thing, ok, okay, k, correct",
        "right, thats right, exactly, thats correct, that is right, that is correct, of course, certainly",
        "absolutely, definitely, go ahead, go on, do it, please do, do that, sounds good, sounds great, sounds fine",
        "looks good, looks right, all good, perfect, great, good, fine, thats fine, that is fine, alright",
        "all right, agreed, indeed, affirmative, uh huh, mhm, confirm, confirmed, i confirm, i agree, i do, it is",
        "proceed, lets do it, lets go, why not, works for me, that works, that will do, thatll do, by all means",
        "for sure, true, i would, id love to, very well, makes sense, yes i do, yes it is, you got it, book it",
        "send it, got it, understood, its right, its correct, all correct, you got that right, thats it exactly, ideal",
        "you may proceed, you can proceed, please proceed, proceed please, you can go ahead, you may go ahead",
        "that will work, that would work, that should work, thatll work, that works fine, it works, it all works",
        "that would be it exactly, that would do, yes please, cool, excellent, awesome, wonderful, fantastic, super",
        "no problem, not a problem, id appreciate that, pretty much, more or less, i think so, i guess so",
        "i suppose so, very much so",
    )
    | combine_phrases(
        "that would be, would be, thatd be",
        "great, nice, good, lovely, perfect, wonderful, brilliant, fab, super, fantastic",
    )
    | PRAISE,
    no=parse_phrases(
        "no, n, nope, nah, no way, not really, negative, no no, not yet, not now, dont, please dont, do not, wrong",
        "thats wrong, that is wrong, incorrect, thats not right, that is not right, not correct, thats incorrect",
        "thats not correct, that is not correct, i dont, id rather not, i would rather not, rather not, better not",
        "absolutely not, of course not, definitely not, certainly not, dont do it, dont do that, no i dont, it isnt",
        "its not, no it isnt, not quite, its wrong, false, i dont think so, no good, never, not needed, not necessary",
        "not that i know, not that i know of, none that i know of, not that im aware of, not to my knowledge",
        "no need, not required, that wont be necessary, thats not necessary, thats not needed, maybe later, later",
        "perhaps later, some other time, another time, not right now, not at the moment, not for now, not this time",
        "not today, it can wait, some other time maybe, yeah but perhaps later, maybe another time, ill do that later",
        "maybe ill do that later, i will do that later, it can be done later, ill do it later, i can do that later",
        "not anymore, not any more, no longer",
    )
    | combine_phrases(
        "dont, do not, please dont, no dont",
        "book it, send it, cancel it, order it, change it, pay it, move it, make it, place it, submit it, confirm it,"
        "go ahead, send anything, book anything, cancel anything, change anything",
    ),
    cancel=parse_phrases(
        "cancel, cancel it, cancel that, cancel this, cancel everything, stop, stop it, stop that, stop this, abort",
        "quit, never mind, nevermind, nvm, forget it, forget that, forget about it, leave it, drop it, drop that",
        "scrap that, scrap it, exit, end, lets stop, i changed my mind, ive changed my mind, i have changed my mind",
        "changed my mind, i dont want this anymore, i dont want to do this, i dont want it anymore",
        "i dont want to anymore, call it off, i want to cancel, im out, give up, i give up, lets leave it",
        "not anymore, dont bother, abandon it, cancel please, leave it as it was, leave it as it is, keep it as it was",
    ),
    restart=parse_phrases(
        "restart, start over, start again, start afresh, start from scratch, start from the beginning, begin again",
        "from the beginning, reset, start new, start anew, lets start over, lets start again, back to the start",
        "start all over, start all over again, begin from scratch, new conversation, reset everything, begin anew",
    ),
    repeat=parse_phrases(
        "repeat, repeat that, repeat it, repeat please, say that again, say it again, say again, again, once more",
        "come again, pardon, pardon me, what, what did you say, what was that, what was the question, say what, huh",
        "sorry what, i didnt catch that, didnt catch that, i didnt get that, i didnt hear that, one more time",
        "repeat the question, what was that again, ask me again, ask again, excuse me, repeat what you said, eh",
        "tell me again, what was it again, i missed that, missed that, please repeat the question",
        "repeat your question",
    ),
    person=parse_phrases(
        "person, human, operator, agent, a person, a human, an agent, an operator, a human being, real person",
        "somebody, a real person, a real human, human please, customer service, customer support, support",
        "representative, someone, a representative, live agent, a live agent, staff, a member of staff, an employee",
        "an advisor, an adviser, talk to a person, talk to a human, talk to someone, talk to somebody",
        "talk to an agent, talk to an operator, speak to a person, speak to a human, speak to someone",
        "speak to somebody, speak to an agent, speak with someone, speak with a person, speak with a human",
        "speak with an agent, talk with a person, talk with a human, talk to a real person, speak to a real person",
        "talk to a human being, speak to a human being, chat with a human, talk to an advisor, speak to an advisor",
        "talk to customer service, speak to customer service, talk to support, talk to your staff",
        "speak to a representative, talk to a representative, speak to an operator, get me a human, get me a person",
        "get me someone, get me an agent, connect me to a person, connect me to a human, chat with a person",
        "connect me to an agent, connect me with someone, connect me with a person, put me through to someone",
        "put me through to a person, put me through to a human, transfer me to an agent, transfer me to a person",
        "transfer me to a human, speak to the manager, talk to a manager, speak to a manager, a manager",
        "talk to the staff",
    ),
    chitchat=parse_phrases(
        "thanks, thank you, thank you so much, thank you very much, thanks a lot, many thanks, thx, ty, cheers",
        "much obliged, hello, hi, hey, hi there, hello there, hey there, good morning, good afternoon, good evening",
        "greetings, howdy, how are you, how are you doing, how are you today, how is it going, hows it going",
        "whats up, nice to meet you, bye, goodbye, bye bye, see you, see you later, good night, have a nice day",
        "have a good day, take care, who are you, what are you, are you a robot, are you a bot, are you human",
        "are you a person, are you real, lol, haha, nice, cool, awesome, wow, well done, good job, good bot",
        "tell me a joke, whats your name, i love you, you are great, youre great, youre welcome, no problem",
        "thats all, that is all, thats it, that will be all, thanks thats all, nothing else, youre stupid",
        "you are stupid, interesting, amazing, great thanks, ok thanks, i appreciate it, i really appreciate it",
        "i appreciate that, much appreciated, i am grateful, im grateful, im very grateful, i am very grateful",
        "im all set, i am all set, that should do it, that should be it, that does it, you helped me a lot",
        "i dont need anything else, i need nothing else, i have everything i need, i got everything i need",
        "youve been very helpful, you have been very helpful, youve been a great help, you are the best",
        "youre the best, you were very helpful, that was very helpful, that helps, that helps a lot, my thanks",
        "i dont need anything more, there is nothing else, theres nothing else, nothing for now, nothing more",
        "talk to you later, see you soon",
    )
    | combine_phrases(
        "i appreciate, i really appreciate", "your help, all your help, the help, your assistance, your time"
    )
    | combine_phrases(
        "thats, that is, this is, that was, that will be, thatll be, that would be, thatd be, its, i guess thats",
        "all, it, everything, what i needed, what i need, all i need, all i needed, all i want, all i wanted",
    )
    | combine_phrases("have a, have a very", "nice, good, great, lovely, pleasant, wonderful")
    | combine_phrases(
        "have a nice, have a good, have a great, have a lovely, enjoy your",
        "day, evening, night, afternoon, one, weekend, time, rest of the day",
    ),
    praise=PRAISE,
    courtesies=parse_phrases(
        "so much, very much, a lot, a bunch, much, a million, again, too, as well, today, for now, for today",
        "at the moment, for the moment, right now, then, there, that i need, i need, i needed, i will, oh good, and",
        "nice, brilliant, lovely, but, as always, as usual, great service, great job, great work, great help",
    )
    | combine_phrases(
        "for, for all, for all of, for your, for the, for all your, for all the, for all of your",
        "help, assistance, information, info, time, support, service, kind help, great help, advice, effort, work",
    )
    | parse_phrases(
        "for helping, for helping me, for helping out, for helping me out, for assisting, for assisting me, for that",
        "for this, for it, for everything, for all, for all that, for all of that, for all of this, for being helpful",
        "for letting me know, for telling me, for the quick help, for your kindness, for your quick help",
    ),
    status=parse_phrases(
        "status, what have you got, what have you got so far, what do you have so far, what do we have so far",
        "summary, where are we, where were we, any news, is there any news, any update, any updates",
        "is there an update, whats new, whats the status, what is the status, whats happening, what is happening",
        "whats going on, how far are we, is it done, is it done yet, is it ready, is it ready yet",
        "how long do i have to wait, whats taking so long, did it work, has it been approved, is it approved",
        "has it been approved yet, was it approved, are you still there, summarise, summarize, give me a summary",
        "show me what you have, what have i told you, what did i tell you, what did i say so far",
        "what have i said so far, whats the state, what is the state, how much longer, still waiting",
        "what have i entered so far, what do you know so far, recap, whats my status, have they decided",
        "did they decide",
    ),
    help=parse_phrases(
        "help, help me, i need help, i need some help, need help, what can you do, what can i do, what can i say",
        "menu, what can you help me with, what can you help with, how can you help me, how can you help",
        "what are my options, what do you do, how does this work, how do you work, what can i ask",
        "what can i ask you, options, commands, what are you able to do, show me the menu, main menu",
        "what else can you do, what services do you offer, what can i do here, im lost, i am lost",
        "what should i say, what should i do, what now, how do i use this",
    ),
    skip=parse_phrases(
        "skip, skip it, skip this, skip that, pass, next, next question, leave it blank, leave it empty",
        "leave empty, none, not needed, not necessary, no need, nothing, i dont have one, i dont have any",
        "i have none, dont have one, n a, no preference, i dont have it, not applicable, i dont need one",
        "i dont need any, without, skip this one, skip this question, skip the question, prefer not to say",
        "id rather not say, lets skip that, lets skip it, move on, doesnt matter, it doesnt matter, i dont care",
        "dont care, whatever, nothing to add, no comment, thats private, its private, i lost it, ive lost it",
        "dont have it on me, i dont have it on me, dont have it with me, i dont have it with me, dont have it to hand",
        "i dont have it to hand, we havent decided yet, we havent set one yet, havent decided yet, not decided yet",
    ),
    skip_item=parse_phrases(
        "skip this one, skip this item, skip that one, skip that item, skip the item, leave this one out",
        "leave this out, leave that one out, leave it out, leave this one, leave this one as it is, leave it as it is",
        "keep this one, keep it, keep it as it is, not this one, not this, not that one, without this one, next one",
        "next item, the next one, the next item, go to the next one, go to the next item, skip to the next one",
        "on to the next one, lets skip this one, forget this one, forget about this one, pass on this one",
    ),
    enough=parse_phrases(
        "thats all, that is all, thats it, that will be all, thats everything, nothing else, nothing more, no more",
        "im done, i am done, that was all, thats enough, that is everything, thatll be all, nothing",
        "nothing else for now, not for now, thats all for now, that is all for now, nothing for now, no thats all",
        "im good, i am good, all good",
    ),
    explain=parse_phrases(
        "what are my options, what options are there, which are there, which one are there, what can i choose from",
        "what do you mean, what does that mean, what is that, whats that, what is this, whats this",
        "i dont understand, i do not understand, i dont get it, why, why do you ask, why do you need that",
        "why do you need it, what for, why do you need this, why do you want to know, why do you want that",
        "whys that needed, why is that needed, why is it needed, why is this needed, what do you need that for",
        "what do you need it for, what do you need this for, whats that for, what is that for, what is it for",
        "whats it for, why do i have to give you that, why do i have to give that, why would you need that",
        "why would you need it",
        "where do i find that, where do i find it, where can i find that, where can i find it, where is that",
        "where is it, can you explain, explain, explain that, can you explain that, how do i find that",
        "how do i find it, how do i find out, please explain, what does it mean, what kind of answer",
        "in what format, what format, which format, what should i write, what should i enter, such as, like what",
        "for example, what are the options, what are the choices, which options are there, what choices are there",
        "i dont know, i dont know that, dont know, no idea, not sure, im not sure, i am not sure, i have no idea",
        "idk, what options do i have, what options do you have, which ones are there, what do i enter",
        "what are my choices, how should i know, what do you need, what is it for, whats it for",
        "what do you mean by that",
    ),
    neither=parse_phrases(
        "neither, none, none of them, none of these, none of those, neither of them, neither of those",
        "neither of these, something else, another thing, none of the above, neither one, not these, not those",
        "no neither, nothing of that, neither thanks, none of that, nothing, something different, other",
        "neither of the two, none of the two, no none",
    ),
    hesitations=parse_phrases(
        "hm, hmm, hmmm, mm, mmm, uhm, umm, er, erm, uh, um, well, let me see, let me think, let me think about it",
        "let me check, let me look, let me look it up, let me get it, let me find it, ill check, ill look it up",
        "i need to check, i have to check, i have to look, i need to think, wait, please wait",
        "i have to think about it",
        "two secs, two seconds, 2 secs, give us a sec, a sec, one tick, two ticks, bear with",
        "hold on, hang on, just wait, not so fast, bear with me, stand by, one thing at a time, go back, back",
        "step back, one step back, previous, previous question, undo, ill wait, i will wait, i can wait, i am waiting",
        "im waiting",
        "take your time, no hurry, no rush, i see, i understand, fine take your time",
        "later, lets do that later, lets do it later, ill tell you later, ill do that later",
    )
    | combine_phrases(
        "wait, wait just, just, give me, give me just, just give me, hold on, hang on, hold on for, one, a,"
        "wait for, in",
        "a second, a sec, a minute, a moment, one second, one sec, one minute, one moment, two minutes, a few minutes,"
        "a little time, second, sec, moment, minute, some time, more time",
    ),
    fillers=parse_phrases(
        "please, pls, plz, thanks, thank you, thx, well, um, uh, uhm, er, hmm, hm, ah, oh, hey, hi, hello, so, just",
        "actually, then, now, ok, okay, alright, kindly, i think, i guess, i suppose, maybe, really, you know, like",
        "very much, sorry, for me, a bit, sir, madam, dear, my friend, i mean, right now, for now, then please",
        "again, a lot, anyway, id say, yet, by the way, thank god, thank goodness, thank heavens",
    ),
    openers=parse_phrases(
        "can you, could you, would you, will you, can i, could i, may i, i want to, i want, i would like to",
        "i would like, id like to, id like, i need to, i need, lets, let me, i wish to, i have to, please, want to",
        "would like to, let us, can we, could we, do you mind, would you mind, id prefer to, id rather",
        "any chance of, is there any chance of, any chance you could, is there any chance you could, any way you could",
        "i would rather, is it possible to, give me, i prefer, id prefer, i would prefer, i really want to",
        "can i please, could you please, can you please, may i please",
    ),
)

CUES = CueWords(
    function_words=parse_words(
        "a an the this that these those some any my your his her its our their mine yours me you him us them i we",
        "he she it they to of in on at by for from with about into onto over under as than and or but if so then",
        "also too very just be am is are was were been being do does did done have has had having will would shall",
        "should can could may might must im ive id ill youre youve hes shes theyre isnt arent wasnt dont doesnt",
        "didnt cant couldnt wont there here what which who whom whose when where why how not no yes please thanks",
        "thank hello hi hey ok okay want need like get got give let lets make go going gonna wanna one ones now up",
        "out off down all more much many tell know say help something anything thing things lot bit really actually",
        "maybe well oh um uh whats wheres theres thats hows whos whens youd wed theyd",
    ),
    asking_words=parse_words("what whats which who whos where wheres when whens why how hows"),
    question_words=parse_words(
        "what whats which who whos whom whose when whens where wheres why whys how hows do does did is are am was",
        "were can could will would should may might has have had isnt arent dont doesnt",
    ),
    linking_words=parse_words(
        "is are be called named titled under was to",
    ),
    item_links=parse_phrases("for, with, to, by, into, should be, becomes, shall become, gets, should get"),
    swapped_links=parse_phrases("instead of, in place of, rather than, replaces"),
    exchange_links=parse_phrases("for"),
    item_joints=parse_words("and then also"),
    both=parse_phrases(
        "both, both of them, both please, all of them, all, both of those, all of those",
    ),
    explaining_words=parse_words(
        "mean means find see look looks exactly explain supposed understand",
    ),
    negations=parse_phrases(
        "not, no, except, but not, anything but, not the, no not, its not, not for, rather than, without, instead of",
    ),
    articles=parse_words(
        "the a an at in on for to",
    ),
    corrections=parse_phrases(
        "make it, make that, make the, actually, no, nope, i meant, i mean, sorry, wait, correction, no wait",
        "no sorry, change it to, change that to, change to, change, rather, oops, oh no, i said, it should be",
        "should be, should read, it must be, switch to, switch it to, set it to, set, update, instead, better",
        "no make it, lets make it, on second, on second thought, on second thoughts, i want, id rather have",
        "lets say, lets go with, correct, correct it to, i made a mistake, my mistake, my bad, thats wrong",
        "not quite, wrong, it is, its, that should be, please change, use, go with, have it, put, try, ill take",
        "i would rather have, turn it into, modify, replace, raise it to, increase it to, lower it to, reduce it to",
        "can we do, could we do, how about, what about, maybe",
    ),
    wishes=parse_phrases(
        "i want, id rather have, lets say, lets go with, it is, its, use, go with, have it, put, try, ill take, no",
        "i would rather have, how about, what about, maybe, can we do, could we do, nope, not quite, the, not, not the",
    ),
    closers=parse_phrases(
        "instead, rather, actually, after all, please, not, thanks, thank you, if possible, then, i meant, sorry",
    ),
    changes=parse_phrases(
        "change, correct, edit, modify, fix, update, i want to change, adjust, alter, revise, amend, a different",
        "another, different, wrong, replace",
    ),
    targets=parse_phrases(
        "to, should be, is, must be, should read, becomes, as, into, with, by, was, needs to be, has to be, be",
    ),
    another=parse_phrases(
        "different, another, other, wrong, new, change, edit, correct, fix, modify, update, adjust, else",
    ),
    cancels=parse_phrases(
        "cancel, stop, abort, forget, forget about, drop, quit, abandon, scrap, call off, end, leave, i dont want",
        "do not want, dont want, no more, i no longer want, never mind, nevermind, i do not want, dont need",
        "i dont need, discard",
    ),
    resumes=parse_phrases(
        "resume, continue, continue with, go back to, back to, return to, lets continue with, get back to, finish",
        "carry on, carry on with, go on with, lets finish, pick up, proceed with, lets go back to, keep going with",
        "lets get back to",
    ),
    sequences=(
        ("and", "then"),
        ("and", "after", "that"),
        ("and", "also"),
        ("and", "afterwards"),
        ("after", "that"),
        ("afterwards",),
        ("then",),
        ("also",),
        ("as", "well", "as"),
        ("plus",),
        ("and",),
    ),
    leads=parse_phrases(
        "its, it is, its called, it is called, called, named, thats, that is, that would be, that will be, this is",
        "i am, im, my name is, the name is, name is, i want, i would like, id like, ill take, i will take",
        "lets take, lets go with, i need, give me, i choose, i pick, i prefer, make it, go with, lets say, say",
        "it should be, i have, ive got, i got, how about, what about, maybe, probably, i think, i think its",
        "i guess, please, well, um, uh, oh, ok, okay, sure, to, the answer is, because, you can use, use, put",
        "write, for, it was, i was thinking of, try, let me have, id go for, i said, i mean, i meant, that one is",
        "the one called, one called, something called, just, it will be, itll be, yes, i like, i love, i enjoy",
        "im into, i am into, im interested in, i am interested in, i would enjoy, i would prefer, id prefer, id enjoy",
        "i would say, id say, something, some, how about something, sorry, i usually like, i really like",
    )
    | combine_phrases(
        "i want to, i would like to, id like to, i would love to, id love to, i really want to, i need to, lets, ill",
        "see, watch, view, hear, listen to, eat, try, visit, play, find, read, go to, send it to, go, stay there, meet",
    )
    | combine_phrases(
        "i want to see, i would like to see, i would love to see, i really want to see, id like to see, id love to see",
        "something, some, a good, an, a, anything",
    )
    | combine_phrases(
        "i want to, i would like to, id like to, i need to", "watch a, watch an, view the film, watch the movie"
    )
    | combine_phrases(
        "i am looking for, im looking for, look for, search for, find me, find, get me, show me, i am searching for",
        "a, an, some, something, the",
    )
    | parse_phrases(
        "look for, search for, find movies of, looking for, in search of, i am looking for, im looking for"
    ),
    sentence_starters=parse_words(
        "i im id ive ill we were wed it its can could would will please yes yeah no nope find search look check show",
        "something someone somewhere lets try do does get any anything you there my our looking searching see make he",
        "hes she shes they theyre",
    ),
    place_words=parse_words(
        "city town place location area region country airport station destination where village suburb district",
    ),
    denials_behind=frozenset(),
    degrees=parse_words("very too so that really particularly especially"),
    rate_words=parse_words("a an per each every"),
    denials=parse_words(
        "dont doesnt didnt isnt arent wasnt havent hasnt wont wouldnt without neither nor skip unnecessary unneeded",
        "never cannot cant",
    ),
    place_prepositions=parse_words(
        "in near around from to at inside for towards within",
    ),
    tails=parse_phrases(
        "please, thanks, thank you, thx, i think, i guess, instead, i believe, if possible, would be great, is fine",
    ),
    person_words=parse_words(
        "person human operator agent representative advisor adviser employee staff clerk colleague manager",
        "supervisor somebody someone anybody anyone team",
    ),
    requests=parse_phrases(
        "talk to, speak to, speak with, talk with, chat with, connect me, put me through, transfer me to, get me",
        "call me, i need a human, i want a human, i need a person, i want a person, real person, real human",
        "live agent",
    ),
    talk_verbs=parse_phrases(
        "talk to, speak to, speak with, talk with, chat with, connect me with, connect me to, put me through to",
        "transfer me to, get me through to, put me in touch with",
    ),
    joining_words=parse_words("and or plus"),
    alternatives=parse_words("or"),
    forgets=parse_phrases("forget, forget about, clear, delete, remove, erase, drop, scrap, take out, leave out"),
    skips=parse_phrases("skip, leave out, omit, no, without, pass on"),
    prefaces=parse_phrases(
        "and, also, but, so, oh, wait, hold on, first, hang on, by the way, and also, but first, oh and"
    ),
    second_thoughts=parse_phrases(
        "or no, no wait, or rather, or actually, actually no, no actually, or wait, no sorry"
    ),
    vague_openings=parse_phrases(
        "something with, something about, something for, its about, it is about, this is about, it concerns",
        "something to do with, i have something about, a thing about",
    ),
    house_questions=parse_phrases(
        "do you have, do you sell, do you offer, do you take, do you accept, do you do, do you rent, do you serve",
        "do you also, have you got, is there a, is there an, is there any, are there any, is there, are there",
    ),
    anything_else_words=parse_words("else another more other further"),
    other_one_words=parse_words("else other others instead alternatives"),
    link_verbs=parse_words("is was are be"),
    pointing_words=parse_words("my our your its his her their that this it the own"),
    determiners=parse_words("the a an my our"),
    kind_words=parse_words(
        "city town county state airport station street avenue road kind kinds type types sort sorts"
    ),
    naming_words=parse_words("called named titled title name"),
    persons_named=parse_words(
        "person contact receiver recipient payee who actor artist director doctor name sender guest"
    ),
    companions=parse_words("to with from for by featuring feature starring"),
    option_leads=parse_words("with from of for containing including number that those these all both"),
    doubts=parse_words("sure wonder wondering unsure undecided"),
    reason_words=parse_words("because since as so but please thanks if when before which who i we it they then"),
    people_nouns=parse_words(
        "people ppl persons guests players diners participants attendees visitors passengers travellers travelers",
        "adults pax friends colleagues students members",
    ),
    places_for_people=parse_words("seats tickets places covers"),
    children=parse_words("child children kid kids baby babies toddler toddlers infant infants teenager teenagers"),
    relatives=parse_words(
        "wife husband partner girlfriend boyfriend fiance fiancee son daughter mother mum mom father dad brother",
        "sister friend mate colleague adult person guest boy girl",
    ),
    speakers=parse_words("me myself i"),
    people_joints=parse_words("and plus with"),
    people_ends=parse_phrases("of us"),
    lone_words=parse_words("just only alone"),
    people_leads=parse_phrases(
        "for, we are, were, we will be, well be, we would be, wed be, there are, there will be, therell be",
        "there would be, thered be, party of, group of, for the",
    ),
    introductions=parse_phrases("im, i am, this is, its, it is, name, name is, my name is, my names, the name is"),
    introduction_ends=parse_phrases("here, speaking"),
    origin_leads=parse_words("from"),
    destination_leads=parse_words("to"),
    origin_words=parse_words("from origin start departure"),
    destination_words=parse_words("to destination end arrival"),
    goal_leads=parse_words("to"),
    new_words=parse_words("new"),
    bound_words=parse_words("until till til after before"),
    range_words=parse_words("between"),
    conditions=parse_phrases(
        "if, only if, unless, as long as, so long as, provided, provided that, assuming, on condition, once, when"
    ),
    directions={
        "from": parse_words("from origin departure departing leaving start starting pickup source"),
        "to": parse_words("to destination arrival arriving going dropoff target"),
        "at": parse_words("pickup station location"),
    },
    limits={
        **dict.fromkeys(
            ("until", "till", "through", "back"), parse_words("end return last checkout until back dropoff")
        ),
        **dict.fromkeys(("from", "starting", "since"), parse_words("start first checkin begin pickup departure")),
    },
    year_leads=parse_words("in since"),
    concluding_words=parse_words("so then"),
    past_verbs=parse_words("got bought came went had did was took left"),
    former_words=parse_words("was were"),
    same_options=tuple(
        map(
            parse_phrases,
            (
                "daily, every day, each day, once a day",
                "weekly, every week, each week, once a week",
                "fortnightly, every two weeks, every 2 weeks, every other week, every second week, every fortnight,"
                "biweekly, bi weekly, twice a month, once a fortnight",
                "monthly, every month, each month, once a month",
                "quarterly, every three months, every 3 months, every quarter, each quarter",
                "yearly, annual, annually, every year, each year, once a year",
                "morning, mornings, before noon, before midday, before lunch",
                "afternoon, afternoons, after lunch, after midday",
                "evening, evenings, after work",
                "small, smallest, smaller, tiny",
                "medium, middle, medium size, medium sized",
                "large, big, largest, biggest, larger, bigger",
                "refund, money back, my money back, refunded, reimbursed",
                "replacement, replace it, new one, another one, send another, send a new one, replaced",
                "flat, apartment",
                "semi detached, semi",
                "one way, single, no return",
                "return, round trip, there and back",
                "card, by card, with card",
                "bank transfer, transfer, wire transfer",
                "cash, in cash",
            ),
        )
    ),
    size_letters={"extra small": "xs", "small": "s", "medium": "m", "large": "l", "extra large": "xl"},
    short_agreements=frozenset(product(SHORT_SUBJECTS, SHORT_VERBS)),
    short_denials=frozenset(
        (subject, *verb)
        for subject, plain in product(SHORT_SUBJECTS, SHORT_VERBS)
        for verb in ((plain, "not"), (f"{plain}nt",), *((("cant",), ("wont",)) if plain in ("can", "will") else ()))
    )
    | parse_phrases("nobody, no one, noone, none of us, nobody was, no one was, nobody is, nobody did, nobody has"),
    person_question_words=parse_words("who whom whose recipient contact person"),
    bot_questions=parse_phrases("are you a, are you an, are you real, are you human, are you one of"),
    narrative_questions=parse_phrases(
        "what happened, what has happened, what exactly happened, what went wrong, what is wrong, whats wrong",
        "what is the matter, whats the matter",
    ),
    code_words=parse_words("number reference ref code serial registration"),
    reason_starters=parse_words("because cause cos since"),
    asked_reasons=parse_words("reason reasons why"),
    narrative_words=parse_words(
        "happened story letter greeting reason reasons note notes comment comments remark remarks complaint problem",
        "issue symptom symptoms detail details feedback explanation question wishes request instructions experience",
        "observation concern summary review why message situation circumstances incident",
    ),
    clause_starters=parse_words(
        "i im ive ill id you youre youve youll we were weve well it its they theyre he she there theres dont doesnt",
        "didnt cant couldnt wont wouldnt isnt arent wasnt is are am was were do does did have has had can could will",
        "would shall should may might must if whether because let lets not sure maybe perhaps none nothing",
    ),
    type_words={
        "email": parse_words("mail email emails"),
        "phone": parse_words("phone telephone mobile cell number"),
        "money": parse_words("amount sum price"),
        "date": parse_words("date day"),
        "time": parse_words("time hour"),
    },
    exclusions=parse_phrases(
        "anyone but, anyone except, anybody but, anybody except, any day but, any day except, any time but",
        "everything but, everything except, everything besides, all but, all except, anything but, anything except",
        "all of them but, all of them except, everything apart from, all apart from",
    ),
    counted_nouns=parse_words(
        "times time second seconds sec secs minute minutes moment moments hour hours thing things"
    ),
    partitives=parse_words("of"),
    contact_verbs=parse_words(
        "talk speak chat discuss connect transfer put call contact reach ask see get do help assist"
    ),
    visiting_words=parse_words("round out over in up here to who that"),
    governing_words=parse_words("to with from of one an a any some your the through"),
    possessives=parse_words("your yours"),
    accompanying=parse_words("with"),
    missing_words=parse_words(
        "missing lack lacking left remaining remain remains need needs needed require required requires outstanding",
        "fill complete finish finished come coming along done",
    ),
    recall_phrases=parse_phrases(
        "did i say, did i tell, have i said, have i told, i said, i told, i gave, i have said, i have told, ive told",
        "ive said, did i give, have i given, did i enter, i entered, have you written, did you write, you have written",
        "you wrote, have you noted, did you note, have you got, you have got, have you saved, do you have, you have",
        "i have entered, ive entered, i have given, ive given, do you know, have you recorded, did you get",
        "sum up, summarise, summarize, recap, read back, have i entered",
    ),
    progress_words=parse_words(
        "news update updates progress status decided decide decision approved approve rejected ready done finished",
        "waiting wait looked looking look checked checking check reviewed reviewing happened happening through yet",
        "soon heard long anybody anyone somebody someone nobody answer answered result outcome",
    ),
    matter_words=parse_words(
        "information info details data question questions answer answers step steps thing things field fields far",
        "else more still already nearly almost much many from me show tell written down noted so given told",
        "said now point points item items",
    ),
    adding_words=parse_words("with featuring starring by for on at in and which that without"),
    contrasts=parse_words("but however except"),
    clause_joints=parse_words("and then also plus wait"),
)

NUMERALS = Numerals(
    decimal=".",
    units={
        **number_words(
            "zero/nought one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen"
        ),
        **number_words("twenty thirty forty/fourty fifty sixty seventy eighty ninety", 20, 10),
    },
    scales={"hundred": 100, "thousand": 1_000, "million": 1_000_000, "grand": 1_000},
    multipliers={"k": 1_000, "m": 1_000_000, "grand": 1_000, "thousand": 1_000, "million": 1_000_000, "dozen": 12},
    joiners=frozenset({"and"}),
    articles=frozenset({"a"}),
    single={"a": 1, "an": 1},
    collectives={"couple": 2, "dozen": 12},
    halves=frozenset({"half"}),
    ordinals=number_words("first/1st second/2nd third/3rd fourth/4th fifth/5th sixth/6th seventh/7th eighth/8th", 1),
    last_words=frozenset({"last"}),
    currencies=parse_words(
        "euro euros eur dollar dollars usd bucks pound pounds gbp quid cent cents francs chf yen",
    ),
)

CALENDAR = Calendar(
    months=number_words(
        "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct "
        "november/nov december/dec",
        1,
    ),
    weekdays=number_words(
        "monday/mon tuesday/tue/tues wednesday/wed/weds thursday/thu/thurs friday/fri saturday/sat sunday/sun"
    ),
    days={
        "today": 0,
        "later today": 0,
        "this morning": 0,
        "this afternoon": 0,
        "tonight": 0,
        "this evening": 0,
        "tomorrow": 1,
        "tomorow": 1,
        "tmrw": 1,
        "yesterday": -1,
        "last night": -1,
    },
    units={
        "day": "days",
        "days": "days",
        "week": "weeks",
        "weeks": "weeks",
        "month": "months",
        "months": "months",
        "year": "years",
        "years": "years",
        "fortnight": "fortnights",
        "fortnights": "fortnights",
    },
    time_words=parse_words(
        "weekend weekends weekday weekdays morning mornings afternoon afternoons evening evenings night"
    ),
    feasts={
        "christmas eve": 1224,
        "christmas day": 1225,
        "xmas eve": 1224,
        "xmas day": 1225,
        "boxing day": 1226,
        "new year's eve": 1231,
        "new years eve": 1231,
        "new year's day": 101,
        "new years day": 101,
        "valentine's day": 214,
        "valentines day": 214,
        "halloween": 1031,
    },
    movable_feasts={
        "maundy thursday": -3,
        "good friday": -2,
        "easter saturday": -1,
        "easter sunday": 0,
        "easter monday": 1,
        "whit sunday": 49,
        "whit monday": 50,
    },
    day_lookalikes=parse_phrases("sat on, sat down, sat there, sat here, sat through, sat next, sat behind"),
    clock_units={"hour": 60, "hours": 60, "hr": 60, "hrs": 60, "minute": 1, "minutes": 1, "min": 1, "mins": 1},
    shifted_times=(
        ("ahead", r"in (?:about )?(?:{half} an |{n} ){clock}(?! and a half)"),
        ("back", r"(?:{half} an |{n} ){clock} ago"),
        ("now", r"(?:right )?now"),
    ),
    past_words=parse_words(
        "did happened occurred arrived bought purchased purchase noticed received lost stolen broke began since"
        " accident incident born birth"
    ),
    wish_words=parse_words("want like wish need prefer"),
    dates=(
        ("shift_day", r"{n} {unit} (?:(?:from|after) )?{day}"),
        ("shift_weekday", r"(?<!for ){n} {unit} (?:from|after|on) (?:next )?{weekday}"),
        ("shift_ahead", r"(?:in|within) {n} {unit}(?: time)?|{n2} {unit2} from now"),
        ("shift_back", r"{n} {unit} ago"),
        ("after_tomorrow", r"(?:the )?day after tomorrow"),
        ("before_yesterday", r"(?:the )?day before yesterday"),
        ("day_of_month", r"(?:{weekday},? )?(?:the )?{d}(?:st|nd|rd|th)?(?: of)? {month}(?:,? {year})?"),
        ("day_of_month", r"(?:{weekday},? )?{month} (?:the )?{d}(?:st|nd|rd|th)?(?:,? {year})?"),
        (
            "day_of_month",
            r"{d}(?:st|nd|rd|th)?(?= ?(?:-|–|to|till|until) ?(?:the )?[0-9]{1,2}(?:st|nd|rd|th)? (?:of )?{month}\b)",
        ),
        ("day_of_last_year", r"(?:the )?{d}(?:st|nd|rd|th)?(?: of)? {month},?(?: of)? last year"),
        ("day_of_last_year", r"{month} (?:the )?{d}(?:st|nd|rd|th)?,?(?: of)? last year"),
        ("day_of_next_year", r"(?:the )?{d}(?:st|nd|rd|th)?(?: of)? {month},?(?: of)? next year"),
        ("day_of_next_year", r"{month} (?:the )?{d}(?:st|nd|rd|th)?,?(?: of)? next year"),
        ("feast", r"(?:on )?{feast}"),
        ("movable_feast", r"(?:on )?{movable}"),
        ("today", r"just now|earlier today|(?:half an|{n}) {clock} ago"),
        ("end_of_month", r"(?:at )?(?:the )?end of (?:the|this) month|last day of the month"),
        ("end_of_month", r"(?:at )?(?:the )?(?:end|last day) of {month}"),
        ("nth_weekday", r"(?:on )?(?:the )?{d}(?:st|nd|rd|th)? {weekday} (?:in|of) {month}"),
        ("last_weekday_of_month", r"(?:on )?(?:the )?last {weekday} (?:in|of) {month}"),
        (
            "any_weekday",
            r"(?:(?:a|any|some|every|each) )?{weekday}s? (?:in|of) {month}|(?:any|some|every|each) {weekday2}",
        ),
        ("day_only", r"(?:on )?{weekday},? (?:the )?{d}(?:st|nd|rd|th)\b|(?:on )?{weekday2},? the {d2}\b"),
        ("day_only", r"(?:on )?(?:the )?{d}(?:st|nd|rd|th)\b|(?:on )?the {d2}\b"),
        ("week_after", r"(?:on )?{weekday} week\b|(?:a )?week on {weekday2}"),
        ("coming_week", r"{weekday} next week|next week on {weekday2}|next week {weekday3}|next {weekday4}"),
        ("weekday", r"(?:on )?{weekday} (?:of )?this week"),
        ("last_weekday", r"last {weekday}"),
        ("weekday", r"(?:on |this |coming |this coming )?{weekday}"),
        ("day", r"{day}"),
    ),
    times=(
        ("half_past", r"half (?:past )?{hour}"),
        ("quarter_past", r"(?:a )?quarter (?:past|after) {hour}"),
        ("quarter_to", r"(?:a )?quarter (?:to|before) {hour}"),
        ("minutes_past", r"{minute}(?: minutes?)? past {hour}"),
        ("minutes_to", r"(?<!from ){minute}(?: minutes?)? (?:to|before) {hour}"),
        ("noon", r"noon|midday"),
        ("midnight", r"midnight"),
        ("evening", r"(?:evening|night|afternoon)(?: at)? {hour}(?: o['\"]? ?clock)?"),
        ("hour_only", r"morning(?: at)? {hour}(?: o['\"]? ?clock)?"),
        ("hour_only", r"{hour} o['\"]? ?clock"),
        ("hour_only", r"{hour}(?= (?:in the (?:morning|afternoon|evening)|at night|this evening|tonight|am|pm))"),
    ),
    afternoon=frozenset(
        {"pm", "p.m.", "p.m", "in the afternoon", "in the evening", "at night", "tonight", "this evening"}
    ),
    morning=frozenset({"am", "a.m.", "a.m", "in the morning"}),
    hour_leads=parse_phrases("at, around, about, at around, at about, by, from"),
)

ENGLISH = Lexicon("en", ACTS, CUES, NUMERALS, CALENDAR)
